import type { Instant } from "../duration.ts";
import type { Signal } from "./observation.ts";
import type { Reason, State } from "./state.ts";

/** One fact that a verdict rests on, or that it had to leave aside. */
export interface Evidence {
  readonly signal: Signal | "operator" | "watcher";
  readonly at: Instant;
  readonly says: string;
}

/** The judgement of all observations of an agent. */
export interface Verdict {
  readonly state: State;
  readonly reason: Reason;
  /** The sentence for people. */
  readonly why: string;
  /** When this became true: a deadline, a beat, the moment it was last seen. Never in the future. */
  readonly at: Instant;
  /**
   * What was known, as one number: it changes with every new fact, and is zero if nothing is known. Where it is
   * the same as before, time alone can make a verdict worse, never better.
   */
  readonly basis: number;
  /** When to judge again if nothing is heard; infinite if time alone changes nothing. */
  readonly next: Instant;
}

/**
 * The basis of a verdict that must not hold back the next one, because it was made under another rule. Sums of dates are never
 * negative, so it equals none of them. It is a whole number, so that every store keeps it.
 */
export const NO_BASIS = -1;

/** A change of state, dated at the moment it became true, not when it was noticed. */
export interface Flip {
  readonly agent: string;
  readonly from: State;
  readonly to: State;
  readonly reason: Reason;
  readonly why: string;
  readonly at: Instant;
  readonly noticedAt: Instant;
}
