import { type Stats, statSync } from "node:fs";
import { type Incarnation, sameIncarnation } from "../../core/beat.ts";
import type { Instant } from "../../core/duration.ts";
import { OddFileError, readNamedFile } from "../../system/files.ts";
import type { Proc, ProcessStat } from "../../system/proc.ts";

/** A program may need a moment from its start to its PID file, and clocks are coarse; not this much. */
const SLACK = 60_000;
/** Larger files are not PID files. */
const LARGEST = 64 * 1024;

/** What a search for the agent's process came to. */
export type FoundProcess =
  | { readonly how: "there"; readonly stat: ProcessStat }
  /** Nobody is there. With `since` that alone proves an end: somebody was there then. */
  | { readonly how: "nobody"; readonly why: string; readonly since?: Instant; readonly life?: Incarnation }
  /** Nothing is to be told: no cycle is under way. */
  | { readonly how: "quiet" }
  | { readonly how: "unclear"; readonly problem: string };

/** How the agent's process is found. */
export interface Finder {
  /**
   * Looks for it; `known` is the life that was followed so far, which may have ended. Where nothing depends on the
   * very moment, `now` allows to use what was seen a moment ago.
   */
  find(known: Incarnation | undefined, now?: Instant): FoundProcess;
  /** Whether another process may have taken over although the one that is followed is still there. */
  hasMoved?(): boolean;
  memory?(): string | undefined;
}

/** A pid that was named: the first process seen under it is the one that was meant, and no other ever is. */
export function findPid(pid: number, proc: Proc): Finder {
  return {
    find(known: Incarnation | undefined): FoundProcess {
      const stat = proc.stat(pid);
      if (stat === undefined) return { how: "nobody", why: `there is no process ${pid}` };
      if (known === undefined || sameIncarnation(known, stat.life)) return { how: "there", stat };
      return { how: "nobody", why: `pid ${pid} now belongs to another process` };
    },
  };
}

/** The process that a PID file names. Only a file that was written anew names another one. */
export function findPidFile(path: string, proc: Proc, stamp?: string): Finder {
  let read = stamp;
  return {
    hasMoved: () => stampOf(path) !== read,
    memory: () => read,
    find(known: Incarnation | undefined): FoundProcess {
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
      const ended: FoundProcess = {
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

/**
 * The newest process whose command line matches: what started it (a shell, `tmux new-session …`) often has the
 * agent's whole command line among its own arguments, and is older.
 */
export function findMatch(match: string, proc: Proc, self = process.pid): Finder {
  const pattern = new RegExp(match);
  return {
    find(_, now) {
      const us = proc.stat(self);
      // What we run ourselves in order to look (`tmux …`) may name the agent too.
      const isOurs = ({ life, parent, group }: ProcessStat) =>
        life.pid === self || (parent === self && group === us?.group);
      let newest: ProcessStat | undefined;
      for (const [pid, command] of proc.commands(now)) {
        if (pid === self || command === "" || !pattern.test(command)) continue;
        const stat = proc.stat(pid);
        if (stat === undefined || isOurs(stat)) continue;
        if (newest === undefined || isYounger(stat, newest)) newest = stat;
      }
      if (newest === undefined)
        return { how: "nobody", why: `no process has a command line that matches ${match}` };
      return { how: "there", stat: newest };
    },
  };
}

function isYounger({ life: a }: ProcessStat, { life: b }: ProcessStat): boolean {
  const later = Number(a.startTime) - Number(b.startTime);
  return later === 0 ? a.pid > b.pid : later > 0;
}
