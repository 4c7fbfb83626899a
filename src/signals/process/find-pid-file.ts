import { type Stats, statSync } from "node:fs";
import { type Incarnation, sameIncarnation } from "../../core/beat.ts";
import { OddFileError, readNamedFile } from "../../system/files.ts";
import type { Proc } from "../../system/proc.ts";
import type { Finder, Found } from "./finder.ts";

/** A program may need a moment from its start to its PID file, and clocks are coarse; not this much. */
const SLACK = 60_000;
/** Larger files are not PID files. */
const LARGEST = 64 * 1024;

/** The process that a PID file names. Only a file that was written anew names another one. */
export function findPidFile(path: string, proc: Proc, stamp?: string): Finder {
  let read = stamp;
  return {
    hasMoved: () => stampOf(path) !== read,
    memory: () => read,
    find(known: Incarnation | undefined): Found {
      const before = read;
      let text: string;
      let file: Stats;
      try {
        file = statSync(path);
        text = readNamedFile(path, LARGEST).toString("utf8").trim();
      } catch (error) {
        read = undefined;
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT") return { how: "nobody", why: `there is no PID file ${path}` };
        if (error instanceof OddFileError)
          return { how: "unclear", problem: `the PID file ${error.message}` };
        return { how: "unclear", problem: `the PID file ${path} cannot be read (${code})` };
      }
      read = say(file);
      const pid = Number(/^[0-9]+/.exec(text)?.[0]);
      if (!(pid > 0)) return { how: "unclear", problem: `the PID file ${path} contains no process id` };
      if (proc.isHidden(pid)) return { how: "unclear", problem: `process ${pid} is hidden from Rollcall` };
      const stat = proc.stat(pid);
      // Who ends in good order takes its PID file along.
      const ended: Found = {
        how: "nobody",
        why: `process ${pid} (from ${path}) is gone`,
        since: file.mtimeMs,
      };
      if (stat === undefined) return ended;
      if (sameIncarnation(known, stat.life)) return { how: "there", stat };
      if (known !== undefined && known.pid === pid && before === read) return ended;
      if ((proc.startedAt(stat.life) ?? 0) <= file.mtimeMs + SLACK) return { how: "there", stat };
      // It looks like a pid that was given away again; but a clock that was set looks the same.
      const problem = `process ${pid} started after the PID file ${path} was written, so it is probably another program`;
      return { how: "unclear", problem };
    },
  };
}

function stampOf(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  return file === undefined ? undefined : say(file);
}

function say({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}
