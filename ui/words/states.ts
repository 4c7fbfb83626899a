import { STATES as MEANS, STATE_TRAITS, type State } from "../../src/core/liveness/state.ts";

export { MEANS };

/** All states, trouble first: the order of the roll. */
export const STATES = Object.keys(STATE_TRAITS) as readonly State[];
