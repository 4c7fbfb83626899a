import { join } from "node:path";
import {
  type CycleState,
  type Journal,
  lastCyclePath,
  readCycleState,
  readJournal,
  writeJournal,
} from "../../agent/journal.ts";
import { latestBeat } from "../../agent/write-beat.ts";
import { sameIncarnation } from "../../core/beat.ts";
import { iso, sayDuration } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { locked } from "../../system/lock.ts";
import { incarnationOf, pidNamespace } from "../../system/proc.ts";

/** What a wake begins with: its own journal, and the cycle before it if that one crashed. */
export interface BegunCycle {
  readonly journal: Journal;
  readonly crashed: CycleState | undefined;
  /** The file with the last cycle's state, if there was a last cycle. */
  readonly lastCycle: string | undefined;
}

/** A wake that came while a cycle still runs: it must not start a second copy. */
export class CycleRunningError extends Error {
  readonly code = "cycle-running";

  constructor(journal: Journal, pid: number) {
    const ran = sayDuration(Date.now() - Date.parse(journal.beganAt));
    super(
      `cycle ${journal.cycle} of ${journal.agent} is still running (process ${pid}, for ${ran}); nothing was started`,
    );
    this.name = "CycleRunningError";
  }
}

/**
 * Begins the next cycle, under a lock, so that of many wakes at once one wins. A cycle that began, never ended and
 * whose processes are gone has crashed: it is recorded as such, and its state is kept for the new one.
 */
export function wake(agent: string, home: string, log: string): BegunCycle {
  return locked(join(home, "cycles", `.${agent}.lock`), () => {
    const last = readJournal(agent, home);
    const crashed = last === undefined || last.outcome !== undefined ? undefined : buried(last, home);
    const journal: Journal = {
      agent,
      cycle: Math.max(last?.cycle ?? 0, beatenCycle(agent, home)) + 1,
      beganAt: iso(Date.now()),
      ...given({ wrapper: incarnationOf(process.pid), pidNamespace: pidNamespace() }),
      log,
      ...(crashed === undefined ? {} : { recovering: true }),
    };
    writeJournal(journal, home);
    return { journal, crashed, lastCycle: last === undefined ? undefined : lastCyclePath(agent, home) };
  });
}

/** Records an open cycle as crashed, or refuses if one of its processes still lives. */
function buried(journal: Journal, home: string): CycleState | undefined {
  for (const life of [journal.incarnation, journal.wrapper]) {
    if (life !== undefined && sameIncarnation(incarnationOf(life.pid), life))
      throw new CycleRunningError(journal, life.pid);
  }
  const state = readCycleState(journal.agent, home);
  writeJournal({ ...journal, outcome: "crashed", endedAt: state?.lastAt ?? journal.beganAt }, home);
  return state;
}

/** The agent may have counted cycles by itself before it was woken by us. */
function beatenCycle(agent: string, home: string): number {
  const cycle = latestBeat(agent, home)?.cycle;
  return typeof cycle === "number" && Number.isSafeInteger(cycle) ? cycle : 0;
}
