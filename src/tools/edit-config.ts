import { copyFileSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import { configFileIn } from "../config/find.ts";
import { loadConfig } from "../config/load.ts";
import { CodedError } from "../core/coded-error.ts";
import { MINUTE } from "../core/duration.ts";
import { quoted } from "../core/quoted.ts";
import { homeAt } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { ask } from "../service/client.ts";
import { runHere } from "../system/exec.ts";
import { makeFolder } from "../system/files.ts";

const NEW = "# Every key: rollcall config schema, or docs/config.md\n";

class EditError extends CodedError<"editor-failed" | "bad-config"> {
  override readonly name = "EditError";
}

export interface EditedConfig {
  readonly file: string;
  readonly changed: boolean;
  /** The watcher that runs has put it in force. */
  readonly reloaded: boolean;
}

/**
 * Lets a person edit the config: a copy beside it is edited and checked, and takes its place only if it is good. A bad one is
 * left beside it, and the error says where.
 */
export async function editConfig(
  { home: named, config }: { readonly home?: string; readonly config?: string },
  env: NodeJS.ProcessEnv,
): Promise<EditedConfig> {
  const home = homeAt(named);
  const found = configFileIn(home.path, config === undefined ? undefined : resolve(expandTilde(config)));
  const file = found ?? join(home.path, "rollcall.yaml");
  const draft = file.replace(/(\.\w+)$/, ".edited$1");
  makeFolder(home.path);
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (lstatSync(draft, { throwIfNoEntry: false }) === undefined) {
    if (isThere) copyFileSync(file, draft);
    else writeFileSync(draft, NEW, { mode: 0o600 });
  }
  const before = isThere ? readFileSync(file, "utf8") : NEW;
  const editor = env.VISUAL || env.EDITOR || "vi";
  // An editor may have arguments, as for every program that reads this variable.
  const status = runHere(["sh", "-c", `${editor} "$1"`, "sh", draft], env);
  if (status !== 0)
    throw new EditError("editor-failed", `${editor} ended with ${status}; the config is as it was`);
  if (readFileSync(draft, "utf8") === before) {
    rmSync(draft);
    return { file, changed: false, reloaded: false };
  }
  try {
    await loadConfig(home.path, draft);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const goesOn = `the old config stays in force; to go on with this text: rollcall config edit; to drop it: rm ${quoted(draft)}`;
    throw new EditError("bad-config", `${why}\n${goesOn}`);
  }
  renameSync(draft, file);
  const url = runningWatcher(home)?.url;
  if (url !== undefined) await ask(home, url, "POST", "/api/v1/watcher/reload", { yes: false }, MINUTE);
  return { file, changed: true, reloaded: url !== undefined };
}
