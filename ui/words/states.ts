import { STATES as MEANS, type State } from "../../src/core/liveness/state.ts";

export { MEANS };

const TROUBLE: readonly State[] = ["dead", "stalled", "failing", "waiting", "limited"];

/** All states, trouble first: the order of the roll. */
export const STATES: readonly State[] = [
  ...TROUBLE,
  ...(["unknown", "late", "new", "alive", "resting", "paused"] as const),
];

/** Whether a state is one that somebody should look at. */
export function isTrouble(state: State): boolean {
  return TROUBLE.includes(state);
}
