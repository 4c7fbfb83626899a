import { type Beat, beatAt, type CycleOutcome, type Incarnation, sameIncarnation } from "../beat.ts";
import type { Instant } from "../duration.ts";
import type { Gone } from "../liveness/observation.ts";

/**
 * One wake-work-sleep round of an agent. It is open until it has an outcome. `superseded`: another one began before
 * its end was told, so it ended when it was last heard of.
 */
export interface Cycle {
  readonly agent: string;
  readonly number: number;
  readonly beganAt: Instant;
  readonly lastAt: Instant;
  readonly lastAction?: string;
  readonly endedAt?: Instant;
  readonly outcome?: CycleOutcome | "superseded";
  readonly incarnation?: Incarnation;
}

/**
 * What a beat says about its cycle: a beat that names a cycle begins it if it is not yet known, moves its last
 * action, and may end it. Repeated and late beats change nothing that is newer than they are. An agent that
 * forgets its count begins a number again: that is a new cycle, not more of the one that ended.
 */
export function cycleAfter(known: Cycle | undefined, beat: Beat): Cycle | undefined {
  if (beat.cycle === undefined) return undefined;
  const at = beatAt(beat);
  const again = beat.cycleEvent === "begun" && known?.outcome !== undefined && at > known.lastAt;
  const begun: Cycle = { agent: beat.agent, number: beat.cycle, beganAt: at, lastAt: at };
  const cycle = again ? begun : (known ?? begun);
  const newer = at >= cycle.lastAt;
  const ended = beat.cycleEvent === "ended" && cycle.outcome === undefined;
  const incarnation = cycle.incarnation ?? beat.incarnation;
  return {
    ...cycle,
    beganAt: Math.min(cycle.beganAt, at),
    lastAt: Math.max(cycle.lastAt, at),
    // A wrapper may tell that the cycle began a moment after the agent told what it does.
    ...((newer || cycle.lastAction === undefined) && beat.action !== undefined
      ? { lastAction: beat.action }
      : {}),
    ...(incarnation === undefined ? {} : { incarnation }),
    ...(ended ? { endedAt: at, outcome: beat.outcome ?? beat.status } : {}),
  };
}

/** A cycle whose process is gone has crashed, although nobody has told its end yet. */
export function endedBy(cycle: Cycle, gone: Gone | undefined): Cycle {
  const isGone = cycle.outcome === undefined && sameIncarnation(cycle.incarnation, gone?.incarnation);
  if (gone === undefined || !isGone) return cycle;
  return { ...cycle, endedAt: Math.max(gone.at, cycle.lastAt), outcome: "crashed" };
}

export function supersede(cycle: Cycle): Cycle {
  return { ...cycle, endedAt: cycle.lastAt, outcome: "superseded" };
}
