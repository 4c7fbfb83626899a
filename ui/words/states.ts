import type { State } from "../../src/core/liveness/state.ts";

/** What each state means, for titles and the legend; the same words as in the docs. */
export const MEANS: Readonly<Record<State, string>> = {
  dead: "silent beyond its grace, or ended unexpectedly",
  stalled: "running, but making no progress",
  failing: "reports an error itself",
  waiting: "needs a human: for a permission, an answer or a login",
  limited: "at a usage or rate limit",
  unknown: "Rollcall cannot tell: it was not watching, or the timestamp cannot be right",
  late: "overdue, but still within its grace",
  new: "registered, but no sign of life yet",
  alive: "it sends beats, or Rollcall sees it working",
  resting: "finished its cycle or turn; the next one is not due yet",
  paused: "paused by an operator; not judged until resumed",
};

/** All states, trouble first: the order of the roll. */
export const STATES = Object.keys(MEANS) as readonly State[];

const TROUBLE: ReadonlySet<State> = new Set(["dead", "stalled", "failing", "waiting", "limited"]);

/** Whether a state is one that somebody should look at. */
export function isTrouble(state: State): boolean {
  return TROUBLE.has(state);
}
