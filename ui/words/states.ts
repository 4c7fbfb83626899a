import type { State } from "../../src/core/liveness/state.ts";

/** What each state means, for titles and the legend; the same words as in the docs. */
export const MEANS: Readonly<Record<State, string>> = {
  dead: "silent beyond its grace, or seen to end without a clean end",
  stalled: "there, but without progress",
  failing: "says error itself",
  waiting: "needs a human: permission, question, login",
  limited: "at a usage or rate limit",
  unknown: "we cannot tell: we were not watching, or the stamp cannot be right",
  late: "past the expected time, inside the grace",
  new: "registered, never heard",
  alive: "it beats, or it is seen to work",
  resting: "ended its cycle cleanly, and the next one is not due",
  paused: "not judged, because an operator said so",
};

/** All states, trouble first: the order of the roll. */
export const STATES = Object.keys(MEANS) as readonly State[];

const TROUBLE: ReadonlySet<State> = new Set(["dead", "stalled", "failing", "waiting", "limited"]);

/** Whether a state is one that somebody should look at. */
export function isTrouble(state: State): boolean {
  return TROUBLE.has(state);
}
