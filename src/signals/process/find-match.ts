import type { Proc, ProcessStat } from "../../system/proc.ts";
import type { Finder } from "./finder.ts";

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
