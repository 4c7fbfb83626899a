import type { Delivery } from "../core/delivery/delivery.ts";
import { keyPrefixOf } from "../core/delivery/delivery.ts";
import { type Incident, isOpen } from "../core/incident/incident.ts";
import type { KeptPage, Store } from "../ports/store.ts";

/** Which incidents are asked for. */
export interface IncidentFilter {
  /** Of this agent, group or host. */
  readonly about?: string | undefined;
  readonly which?: "open" | "over" | undefined;
  readonly kind?: Incident["kind"] | undefined;
  /** Without those that a group's incident speaks for. */
  readonly grouped?: boolean | undefined;
}

/** The same for the store, so that it chooses before it pages. Those that are over stay open there for a day. */
export function chosen({ about, which, kind, grouped }: IncidentFilter): Omit<KeptPage, "limit"> {
  return {
    ...(about === undefined ? {} : { about }),
    ...(which === "open" ? { open: true } : {}),
    where: {
      ...(which === undefined ? {} : { resolved: which === "open" ? null : true }),
      ...(kind === undefined ? {} : { kind }),
      ...(grouped === true ? { spokenForBy: null } : {}),
    },
  };
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
export async function messagesAbout(store: Store, incident: Incident): Promise<readonly Delivery[]> {
  const page = { limit: MESSAGES, idPrefix: keyPrefixOf(incident) };
  const found = await store.kept("delivery", page);
  // The id of another incident may begin with this one's.
  return found.flatMap(({ body }) => (body.incident === incident.id ? [body] : []));
}
