import { STATES as MEANS, STATE_TRAITS, type State, traitsOf } from "../../src/core/liveness/state.ts";

export { MEANS };

/** All states, trouble first: the order of the roll. */
export const STATES = Object.keys(STATE_TRAITS) as readonly State[];

/** Whether a state is one that somebody should look at. */
export function isTrouble(state: State): boolean {
  return traitsOf(state).severity !== undefined;
}
