import { setTimeout as sleep } from "node:timers/promises";
import { type Incarnation, sameIncarnation } from "../../core/beat.ts";
import { type Millis, SECOND } from "../../core/duration.ts";
import type { RecoveryDeps } from "./adapter.ts";

const GRACE: Millis = 10 * SECOND;
/** How long the system may take to end a process that was killed. */
const KILLED_WITHIN: Millis = 5 * SECOND;
const LOOK_EVERY: Millis = 25;

/**
 * Ends one life, by TERM and after a grace by KILL; a pid that was given to another process meanwhile is never touched.
 * Whether it is gone.
 */
export async function endLife(
  life: Incarnation,
  { lifeOf, killGrace = GRACE }: RecoveryDeps,
): Promise<boolean> {
  const lives = () => sameIncarnation(lifeOf(life.pid), life);
  for (const [signal, limit] of [
    ["SIGTERM", killGrace],
    ["SIGKILL", KILLED_WITHIN],
  ] as const) {
    if (!lives()) return true;
    send(life.pid, signal);
    const end = performance.now() + limit;
    while (lives() && performance.now() < end) await sleep(LOOK_EVERY);
  }
  return !lives();
}

/** A process that leads a group is ended with the group: what it started would go on without it. */
function send(pid: number, signal: NodeJS.Signals): void {
  for (const to of [-pid, pid]) {
    try {
      process.kill(to, signal);
      return;
    } catch {
      // It leads no group, or is gone.
    }
  }
}
