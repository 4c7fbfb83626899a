import { REASONS, type Reason, STATE_TRAITS, type State } from "../liveness/state.ts";

/** How an agent is by its tick, from the best to the worst. */
export const TICK_STATUSES = ["healthy", "degraded", "critical", "offline"] as const;
export type TickStatus = (typeof TICK_STATUSES)[number];

/** What an agent cannot do without. Measured, never declared. */
export const VITALS = ["gateway_running", "home_directory_accessible", "config_valid"] as const;
export type Vitals = Readonly<Record<(typeof VITALS)[number], boolean>>;

/** What an agent can do, by name. */
export type Capabilities = Readonly<Record<string, boolean>>;

/** A vital that fails is critical; without one, a capability that is lost makes it degraded. */
export function statusOf(vitals: Vitals, capabilities: Capabilities): Exclude<TickStatus, "offline"> {
  if (VITALS.some((vital) => !vitals[vital])) return "critical";
  return Object.values(capabilities).every(Boolean) ? "healthy" : "degraded";
}

/** Of what a tick says and what its own measurements say, the worse counts. */
export function worse(a: TickStatus, b: TickStatus): TickStatus {
  return TICK_STATUSES.indexOf(a) > TICK_STATUSES.indexOf(b) ? a : b;
}

/** What the roll says of an agent. */
export interface HeldState {
  readonly state: State;
  readonly reason: Reason;
}

/** What the roll's state means for `gateway_running`. */
export function runningOf({ state }: HeldState): "runs" | "fails" | "unclear" | "gone" {
  return STATE_TRAITS[state].tick;
}

/** In words of ours only: a tick is published, and an agent's own message may hold a secret. */
export function sayHeld({ state, reason }: HeldState): string {
  return `the roll says ${state}: ${REASONS[reason]}`;
}
