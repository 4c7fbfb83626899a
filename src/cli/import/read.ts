import { readFileSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import { InstallError } from "../../home/install-error.ts";
import { namesIn, OddFileError, readNamedFile } from "../../system/files.ts";
import { jobsNaming, readCrontabText } from "../../tools/import/crontab-lines.ts";
import type { OldDaemon } from "../../tools/import/heartbeat-daemon.ts";
import { ImportError } from "../../tools/import/imported.ts";
import type { Checkout } from "../../tools/import/tick-scripts.ts";
import { readCrontab } from "../../tools/install/crontab.ts";

const LARGEST = 64 * 1024 * 1024;
const LARGEST_SCRIPT = 1024 * 1024;

export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The text of a file that a person named, or of the standard input for `-`. */
export function readText(file: string): string {
  try {
    return decode(file === "-" ? readFileSync(0) : readNamedFile(resolve(expandTilde(file)), LARGEST), file);
  } catch (error) {
    if (error instanceof OddFileError) throw new ImportError(error.message);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new ImportError(`there is no file ${file}`);
    if (code === "EACCES") throw new ImportError(`${file} cannot be read by this user`);
    throw error;
  }
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ImportError(`${file} is not text in UTF-8`);
  }
}

/** The crontab of this user; empty where there is none, or no cron. */
export function ownCrontab(program = "crontab"): string {
  try {
    return decode(Buffer.from(readCrontab(program), "latin1"), "the crontab");
  } catch (error) {
    if (error instanceof InstallError && error.code === "no-cron") return "";
    throw error;
  }
}

/** A heartbeat daemon: its script, or the scripts of its folder. */
export function oldDaemon(named: string, crontab: string): OldDaemon {
  const path = resolve(expandTilde(named));
  const home = homedir();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new ImportError(nothingAt(path, crontab, home));
  const files = stat.isDirectory() ? scriptsIn(path) : [path];
  const scripts = files.map((file) => ({ path: file, text: scriptText(file) }));
  return { path, scripts, crontab, zone: zone(), user: userInfo().username, home };
}

/** A crontab line that names a missing file is the very fault that a heartbeat should not have. */
function nothingAt(path: string, crontab: string, home: string): string {
  const lines = jobsNaming(readCrontabText(crontab).jobs, path, home).map(({ line }) => line + 1);
  const which = lines.length === 1 ? `line ${lines[0]} names` : `lines ${lines.join(", ")} name`;
  const cron = lines.length === 0 ? "" : `, although crontab ${which} it: that line runs nothing`;
  return `there is no file or folder ${path}${cron}; expected the folder or the script of a heartbeat daemon`;
}

function scriptsIn(folder: string): string[] {
  return ["", "bin", "scripts"].flatMap((inner) =>
    namesIn(join(folder, inner))
      .filter(
        (name) =>
          /\.(?:sh|bash|py|js|mjs|rb|pl)$/.test(name) || /^[\w-]*(?:heartbeat|daemon)[\w-]*$/i.test(name),
      )
      .map((name) => join(folder, inner, name))
      .filter((file) => {
        const stat = statSync(file, { throwIfNoEntry: false });
        return stat?.isFile() === true && stat.size <= LARGEST_SCRIPT;
      }),
  );
}

function scriptText(file: string): string {
  const text = readText(file);
  if (text.includes("\0"))
    throw new ImportError(`${file} is not a script; expected the text of a heartbeat daemon`);
  return text;
}

/** A checkout with the scripts of the monthly ticks. */
export function checkout(named: string, crontab: string): Checkout {
  const path = resolve(expandTilde(named));
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ImportError(
      `there is no folder ${path}; expected a checkout with config/agent-registry.json and ticks/`,
    );
  return {
    path,
    registry: textIfThere(join(path, "config", "agent-registry.json")),
    gitConfig: textIfThere(join(path, ".git", "config")),
    crontab,
    home: homedir(),
    env: process.env,
    isHere: (folder) => statSync(expandTilde(folder), { throwIfNoEntry: false })?.isDirectory() === true,
  };
}

function textIfThere(file: string): string | undefined {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readText(file) : undefined;
}
