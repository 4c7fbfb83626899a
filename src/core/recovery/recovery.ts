import { type Incarnation, sameIncarnation } from "../beat.ts";
import type { Instant } from "../duration.ts";
import { lookedAt } from "../liveness/memory.ts";
import type { Observation, ScreenRead } from "../liveness/observation.ts";
import type { Reason, State } from "../liveness/state.ts";
import type { Verdict } from "../liveness/verdict.ts";
import type { Step } from "./ladder.ts";

/** The target of a step: one incarnation of an agent, and the verdict on it. */
export interface Aim {
  readonly state: State;
  readonly reason: Reason;
  /** The life that was judged, where it is known. */
  readonly incarnation?: Incarnation;
  /** We saw that life ourselves. What only a beat names may be anybody's: beats can be made up. */
  readonly seen?: true;
  /** What its living screen says, and what it waits for there. */
  readonly reading?: ScreenRead["reading"];
  readonly detail?: string;
  readonly resetAt?: Instant;
}

/**
 * One step taken on an agent, or not taken after all. It is on record before anything is done, so that a watcher that
 * was killed meanwhile knows that a step was under way.
 *
 *   planned ──looked again──▶ acting ──▶ done | failed | dropped
 *      └──moved on──▶ dropped
 */
export interface Recovery {
  readonly id: string;
  readonly incident: string;
  readonly agent: string;
  readonly do: Step["do"];
  /** Its place in the ladder, from nought. */
  readonly step: number;
  readonly aim: Aim;
  readonly state: "planned" | "acting" | "done" | "failed" | "dropped";
  /** What came of it, or why it was not taken, in a sentence that may begin with a reason's name. */
  readonly why: string;
  readonly plannedAt: Instant;
  readonly startedAt?: Instant;
  readonly endedAt?: Instant;
  /** Set on a failed step that may have been done after all. */
  readonly mayBeDone?: true;
}

/** Something was done, or may have been: it counts against the budget. */
export function hasActed(recovery: Recovery): boolean {
  return recovery.state === "acting" || recovery.state === "done" || recovery.mayBeDone === true;
}

/** It was tried, and nothing came of it: that has a limit of its own. */
export function hasFailed({ state, mayBeDone }: Recovery): boolean {
  return state === "failed" && mayBeDone === undefined;
}

/** When it was over, as far as that is known. */
export function overAt({ plannedAt, startedAt, endedAt }: Recovery): Instant {
  return endedAt ?? startedAt ?? plannedAt;
}

export function aimAt(verdict: Verdict, observations: readonly Observation[]): Aim {
  const screen = liveScreen(observations);
  return {
    state: verdict.state,
    reason: verdict.reason,
    ...judgedLife(observations),
    ...(screen === undefined ? {} : { reading: screen.reading }),
    ...(screen?.detail === undefined ? {} : { detail: screen.detail }),
    ...(screen?.resetAt === undefined ? {} : { resetAt: screen.resetAt }),
  };
}

/** Whether it is still the same life at which the step was aimed. */
export function sameLife(a: Aim, b: Aim): boolean {
  if (a.incarnation === undefined && b.incarnation === undefined) return true;
  return sameIncarnation(a.incarnation, b.incarnation);
}

/** The incarnation that was seen last, present or gone; without a passive signal, the one that its last beat names. */
function judgedLife(observations: readonly Observation[]): Pick<Aim, "incarnation" | "seen"> {
  const seen = newestLife(observations, ({ signal }) => signal !== "beat");
  if (seen !== undefined) return { incarnation: seen, seen: true };
  const named = newestLife(observations, () => true);
  return named === undefined ? {} : { incarnation: named };
}

function newestLife(
  observations: readonly Observation[],
  counts: (fact: Observation) => boolean,
): Incarnation | undefined {
  const newest = observations.filter(counts).toSorted((a, b) => lookedAt(b) - lookedAt(a));
  for (const fact of newest) if ("incarnation" in fact && fact.incarnation) return fact.incarnation;
  return undefined;
}

/**
 * What a terminal shows that is there: only a pane counts, because the screen of a log outlives its program, and not if
 * the pane was gone or could not be read since.
 */
function liveScreen(observations: readonly Observation[]): ScreenRead | undefined {
  const readings = observations.filter((fact) => fact.kind === "reading");
  const screen = readings.findLast(({ signal }) => signal === "tmux");
  if (screen === undefined) return undefined;
  const { seenAt: read } = screen;
  const over = observations.some(
    (fact) =>
      fact.signal === "tmux" && (fact.kind === "gone" || fact.kind === "degraded") && lookedAt(fact) >= read,
  );
  return over ? undefined : screen;
}
