import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SECOND } from "../core/duration.ts";
import type { Home } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { ask } from "./client.ts";

/** Whether a file was changed after a time. */
export function isChangedSince(file: string, time: string): boolean {
  try {
    // A file that was moved here keeps the time of its content, but not this one.
    return statSync(file).ctimeMs > Date.parse(time);
  } catch {
    return false;
  }
}

/** Why the running watcher does not use this config file as it is now; undefined if it does, or if none runs. */
export async function unreadConfig(home: Home, file: string | undefined): Promise<string | undefined> {
  const url = runningWatcher(home)?.url;
  if (url === undefined) return undefined;
  // A watcher that does not answer is for other commands to tell.
  const asked = await ask(home, url, "GET", "/api/v1/watcher", undefined, 5 * SECOND).catch(() => undefined);
  if (asked === undefined) return undefined;
  const { configFile, configLoadedAt } = asked as { configFile: string | null; configLoadedAt: string };
  const named = file === undefined ? null : resolve(file);
  if (configFile !== named)
    return `the running watcher uses ${configFile ?? "no config file"}, not ${named ?? "the defaults"}`;
  if (named === null || !isChangedSince(named, configLoadedAt)) return undefined;
  return "the running watcher has not read the config since it was changed; run: rollcall daemon reload";
}
