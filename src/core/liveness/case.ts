import type { Rule } from "../agent.ts";
import type { Instant } from "../duration.ts";
import type { HostKind } from "../host-kind.ts";
import type { Facts } from "./facts.ts";
import type { Limits } from "./limits.ts";
import type { Observation } from "./observation.ts";
import type { Reason, State } from "./state.ts";
import type { Trust } from "./trust.ts";
import type { Verdict } from "./verdict.ts";

/** The previous verdict, and since when its state has held. */
export interface Standing {
  readonly verdict: Verdict;
  readonly since: Instant;
}

/** Everything that a verdict is a function of. */
export interface Case {
  readonly previous?: Standing | undefined;
  readonly observations: readonly Observation[];
  /** The expected beats. Without a rule the agent is judged only by its passive signals. */
  readonly rule?: Rule | undefined;
  /** How long silence may last in each context before it is a stall. */
  readonly limits?: Limits | undefined;
  readonly addedAt: Instant;
  /** Set while an operator has paused it. */
  readonly pausedAt?: Instant | undefined;
  /** Set if it stands for a host. */
  readonly hostKind?: HostKind | undefined;
  readonly now: Instant;
  readonly trust: Trust;
  /** The sentence is kept, and read later: it names instants instead of saying how long ago they are. */
  readonly lasting?: boolean | undefined;
}

/** What the rows see: the case with its facts sorted. Every field is always there, which keeps judging quick. */
export interface Hearing {
  readonly previous: Standing | undefined;
  readonly facts: Facts;
  readonly rule: Rule | undefined;
  readonly limits: Limits;
  readonly addedAt: Instant;
  readonly pausedAt: Instant | undefined;
  readonly hostKind: HostKind | undefined;
  readonly now: Instant;
  readonly trust: Trust;
  readonly lasting: boolean;
}

/** What a row found: what the verdict will say, unless time alone would wake somebody. */
export interface RowFinding {
  readonly state: State;
  readonly reason: Reason;
  readonly why: string;
  readonly at: Instant;
  readonly next: Instant;
}

/** A row of the table: its finding, or undefined where it does not apply. */
export type Row = (hearing: Hearing) => RowFinding | undefined;
