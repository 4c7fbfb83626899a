import type { Cycle } from "../cycle/cycle.ts";
import type { Instant } from "../duration.ts";
import type { Episode } from "../incident/episode.ts";
import type { Reason, State } from "../liveness/state.ts";
import type { BlindSpan } from "../liveness/trust.ts";
import type { Recovery } from "../recovery/recovery.ts";

export { hostAgent, hubName } from "../host-names.ts";

/** What a host is called. It becomes a part of agents' ids. */
export const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

/** An agent as its host judges it. All times are of the host's clock. */
export interface HostEntry {
  readonly id: string;
  readonly name?: string;
  readonly group?: string;
  readonly state: State;
  readonly reason: Reason;
  readonly why: string;
  readonly since: Instant;
  readonly lastBeatAt?: Instant;
  readonly cycle?: number;
  readonly action?: string;
  /** The host has a nudge or a restart for it, and lets the hub ask for one. */
  readonly canStep?: true;
}

/** One thing that a host tells its hub. An `entry` replaces an older one of its agent that has not been sent; a `flip` does not. */
export type HostFact =
  /** Everybody on the host's roll: others have left it. */
  | { readonly k: "hello"; readonly at: Instant; readonly agents: readonly string[] }
  | { readonly k: "entry"; readonly at: Instant; readonly entry: HostEntry }
  | { readonly k: "flip"; readonly at: Instant; readonly entry: HostEntry }
  | { readonly k: "removed"; readonly at: Instant; readonly agent: string }
  | { readonly k: "episode"; readonly at: Instant; readonly episode: Episode }
  | { readonly k: "recovery"; readonly at: Instant; readonly recovery: Recovery }
  | { readonly k: "cycle"; readonly at: Instant; readonly cycle: Cycle }
  | { readonly k: "blind"; readonly at: Instant; readonly span: BlindSpan }
  /** So many facts did not fit and were dropped before they were sent. */
  | { readonly k: "dropped"; readonly at: Instant; readonly count: number };

export type FactKind = HostFact["k"];

/** A fact with its number in the host's spool. */
export interface NumberedFact {
  readonly seq: number;
  readonly fact: HostFact;
}

/** The agent of a fact; a new `entry` of it makes older ones superfluous. */
export function agentOf(fact: HostFact): string | undefined {
  switch (fact.k) {
    case "entry":
    case "flip":
      return fact.entry.id;
    case "removed":
      return fact.agent;
    case "episode":
      return fact.episode.subject;
    case "recovery":
      return fact.recovery.agent;
    case "cycle":
      return fact.cycle.agent;
    default:
      return undefined;
  }
}
