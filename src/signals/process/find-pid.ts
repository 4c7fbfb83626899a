import { type Incarnation, sameIncarnation } from "../../core/beat.ts";
import type { Proc } from "../../system/proc.ts";
import type { Finder, Found } from "./finder.ts";

/** A pid that was named: the first process seen under it is the one that was meant, and no other ever is. */
export function findPid(pid: number, proc: Proc): Finder {
  return {
    find(known: Incarnation | undefined): Found {
      const stat = proc.stat(pid);
      if (stat === undefined) return { how: "nobody", why: `there is no process ${pid}` };
      if (known === undefined || sameIncarnation(known, stat.life)) return { how: "there", stat };
      return { how: "nobody", why: `pid ${pid} now belongs to another process` };
    },
  };
}
