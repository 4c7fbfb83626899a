import { statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { makeFolder } from "../system/files.ts";
import { AgentError, sayValue, unwritable } from "./error.ts";

/** The folders of a home that beats go through. */
interface BeatFolders {
  /** The latest beat of each agent, `<agent>.json`. */
  readonly beats: string;
  /** Beats that the watcher has not taken up yet, `<id>.json`. */
  readonly spool: string;
}

/** Where Rollcall keeps its files: `ROLLCALL_HOME`, or `~/.rollcall`. */
export function homeDir(env: NodeJS.ProcessEnv = process.env): string {
  const set = env.ROLLCALL_HOME;
  return expandTilde(set === undefined || set === "" ? "~/.rollcall" : set, env);
}

/** Whether the environment names a home. */
export function isHomeNamed(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.ROLLCALL_HOME !== undefined && env.ROLLCALL_HOME !== "";
}

/** Refuses a home that was named and is not there: that is a typing error, and a beat in a new home would reach nobody. */
export function checkNamedHome(home: string, name: string): void {
  if (statSync(home, { throwIfNoEntry: false }) === undefined)
    throw new AgentError("no-home", `${name}: there is no folder ${sayValue(home)}`);
}

/** Why a home is not used, and what would be right. */
export interface RefusedHome {
  readonly says: string;
  readonly todo: string;
}

/** Why a home that belongs to another user is not used. Root may use one that was named. */
export function strangeOwner(home: string, isNamed: boolean): RefusedHome | undefined {
  const we = process.geteuid?.();
  const owner = ownerOf(home);
  if (we === undefined || owner === undefined || owner === we) return undefined;
  const says = `the home ${home} belongs to user ${owner}, and this is user ${we}`;
  if (we !== 0)
    return {
      says,
      todo: `take a home of your own with --home, or make it yours: sudo chown -R ${we} ${home}`,
    };
  return isNamed ? undefined : { says, todo: `root uses it only if it is named: --home ${home}` };
}

/** Undefined for a home that cannot be looked at: writing into it says why. */
function ownerOf(home: string): number | undefined {
  try {
    return statSync(home).uid;
  } catch {
    return undefined;
  }
}

/** Crontabs, unit files and quoted arguments know no `~`: it is expanded here. */
export function expandTilde(path: string, env: NodeJS.ProcessEnv = process.env): string {
  if (path !== "~" && !path.startsWith("~/")) return path;
  // For an empty HOME, homedir() is empty too: it counts as unset, and the passwd entry says where the user is at home.
  return join(env.HOME || homedir() || userInfo().homedir, path.slice(1));
}

/** The folders of a home. What is missing is created for its owner alone; what is there keeps its mode. */
export function openHome(home: string): BeatFolders {
  const folders = { beats: join(home, "beats"), spool: join(home, "spool") };
  for (const folder of [folders.beats, folders.spool]) {
    try {
      makeFolder(folder);
    } catch (cause) {
      throw unwritable(folder, cause);
    }
  }
  return folders;
}
