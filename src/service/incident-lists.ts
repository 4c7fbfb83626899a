import type { Delivery } from "../core/delivery/delivery.ts";
import { type Incident, isOpen } from "../core/incident/incident.ts";
import type { Store } from "../ports/store.ts";

/** Which incidents are asked for. */
export interface IncidentFilter {
  /** Of this agent, group or host. */
  readonly about?: string | undefined;
  readonly which?: "open" | "over" | undefined;
  readonly kind?: Incident["kind"] | undefined;
  /** Without those that a group's incident speaks for. */
  readonly grouped?: boolean | undefined;
}

/** How many incidents are open in all, and how many of them a group's incident speaks for. */
export interface IncidentCounts {
  readonly open: number;
  readonly spokenFor: number;
}

export function countOpen(incidents: Iterable<Incident>): IncidentCounts {
  const open = [...incidents].filter(isOpen);
  return { open: open.length, spokenFor: open.filter(({ spokenForBy }) => spokenForBy !== undefined).length };
}

/** So many of them are shown with it: an incident that stays open for years is reminded of each day. */
const MESSAGES = 1000;

/** The newest messages about an incident, newest first. */
export function messagesAbout(store: Store, { id }: Incident): Promise<readonly Delivery[]> {
  return store.deliveries.page({ incident: id, limit: MESSAGES });
}
