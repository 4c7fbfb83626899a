import type { Agent, Rule } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import type { Instant, Millis } from "../core/duration.ts";
import type { HostFact } from "../core/host/fact.ts";
import type { KnownHost } from "../core/host/host.ts";
import type { Policy } from "../core/incident/policy.ts";
import type { Observation } from "../core/liveness/observation.ts";
import type { BlindSpan } from "../core/liveness/trust.ts";
import type { NewcomerLimits } from "../core/newcomer-limits.ts";
import type { Persistable } from "../ports/store.ts";

/** What a host told, and the host as it is kept after that. Both are committed as one, so each fact counts once. */
export interface HostReport {
  /** As of the turn that stores it: our clock may be set while the report waits. The same again for the same turn. */
  readonly host: (now: Instant) => KnownHost;
  readonly facts: readonly HostFact[];
}

/** What the config says of the fleet; it can change while we watch. */
export interface FleetPolicy {
  readonly autoRegister: boolean;
  /** How many agents may register themselves without proof. */
  readonly newcomers?: NewcomerLimits;
  readonly defaultRule: Rule;
  /** The agents that are declared. */
  readonly agents: readonly Agent[];
  /** Who is told of what. */
  readonly telling?: Policy;
}

/** Something that shall change the roll. */
export type Intent =
  | { readonly kind: "beats"; readonly beats: readonly Beat[] }
  | { readonly kind: "facts"; readonly found: readonly SignalFindings[] }
  | { readonly kind: "declare"; readonly policy: FleetPolicy }
  | { readonly kind: "add"; readonly agent: Agent }
  | { readonly kind: "remove"; readonly id: string }
  | { readonly kind: "pause"; readonly id: string }
  | { readonly kind: "resume"; readonly id: string }
  | { readonly kind: "blind"; readonly span: BlindSpan }
  | { readonly kind: "persist"; readonly parts: Persistable }
  | { readonly kind: "report"; readonly report: HostReport };

/** What the signals of an agent brought in a round. */
export interface SignalFindings {
  readonly agent: string;
  readonly facts: readonly Observation[];
  /** What its signals need to go on after a restart. */
  readonly memories: Readonly<Record<string, unknown>>;
}

/** An intent that cannot be: the code says what kind of answer it deserves. */
export class RollError extends Error {
  readonly code:
    | "no-such-agent"
    | "too-many-agents"
    | "agent-exists"
    | "declared-in-config"
    | "agent-of-host"
    | "no-such-incident"
    | "no-such-silence";
  /** When it is worth trying again, if it is. */
  readonly retryAfter: Millis | undefined;

  constructor(code: RollError["code"], message: string, retryAfter?: Millis) {
    super(message);
    this.name = "RollError";
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
