import type { Millis } from "../src/core/duration.ts";

/** Something that must always hold did not. */
export interface Violation {
  readonly seed: number;
  /** The true time since the seed began. */
  readonly at: Millis;
  /** The number of the invariant, as docs/simulation.md lists them. */
  readonly invariant: number;
  readonly what: string;
}

export type Report = (invariant: number, what: string) => void;
