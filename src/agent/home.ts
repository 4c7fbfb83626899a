import { homedir } from "node:os";
import { join } from "node:path";
import { unwritable } from "./error.ts";
import { makeFolder } from "./files.ts";

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

/** Crontabs, unit files and quoted arguments know no `~`: it is expanded here. */
export function expandTilde(path: string, env: NodeJS.ProcessEnv = process.env): string {
  if (path !== "~" && !path.startsWith("~/")) return path;
  return join(env.HOME || homedir(), path.slice(1));
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
