import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Instant } from "../core/duration.ts";
import type { Forge } from "../ports/forge.ts";
import type { TaskSource } from "../ports/task-source.ts";
import { fileTasks } from "./file/index.ts";
import { fileSettings } from "./file/settings.ts";
import { forgeTasks } from "./forge/index.ts";
import { httpTasks } from "./http/index.ts";
import { listedTasks } from "./kit/listed.ts";
import type { TaskSourceSettings } from "./settings.ts";

export interface TaskSourceDeps {
  /** Rollcall's home: paths that are not absolute are in it. */
  readonly home: string;
  /** The agent whose tasks are "mine"; undefined: whatever anybody took is ours. */
  readonly me: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now?: () => Instant;
  /** The forge whose issues are tasks, or why there is none. */
  readonly forge?: () => Forge | { readonly problem: string };
}

/** Opens the source that the config names; the file tasks.json in the home if it names none. Nothing is read yet. */
export function openTaskSource(
  { file, http, forge: issues }: TaskSourceSettings,
  { home, me, env, now = Date.now, forge = () => ({ problem: "no forge is configured" }) }: TaskSourceDeps,
): TaskSource {
  const absolute = (path: string) =>
    path.startsWith("~/") ? join(env.HOME || homedir(), path.slice(2)) : resolve(home, path);
  if (issues !== undefined) return listedTasks(forgeTasks(forge(), issues.label), { me, now });
  if (http === undefined) {
    return listedTasks(fileTasks(absolute((file ?? fileSettings.parse({})).path)), { me, now });
  }
  const { url, timeoutMs, tokenEnv, tokenFile } = http;
  const token = { tokenEnv, tokenFile: tokenFile === undefined ? undefined : absolute(tokenFile), env };
  return listedTasks(httpTasks({ url, timeoutMs, ...token }), { me, now });
}
