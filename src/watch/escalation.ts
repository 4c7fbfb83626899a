import type { Delivery } from "../core/delivery/delivery.ts";
import type { Instant } from "../core/duration.ts";
import type { Incident, Told } from "../core/incident/incident.ts";
import { GROUP } from "../core/incident/policy.ts";
import { wordsFor } from "../core/incident/words.ts";

/** The messages of a step that tells these places of an incident, and that they have been told. */
export function escalation(
  incident: Incident,
  to: readonly string[],
  recovery: string,
  now: Instant,
): { deliveries: readonly Delivery[]; told: Record<string, Told> } {
  const deliveries = to.map(
    (place): Delivery => ({
      key: `${incident.subject}:${recovery}:escalate:${place}`,
      to: place,
      about: incident.subject,
      incident: incident.id,
      says: "other",
      message: wordsFor(incident, "changed", now),
      createdAt: now,
      dueAt: now + GROUP,
      state: "pending",
      attempts: 0,
    }),
  );
  const { change } = incident;
  const told = Object.fromEntries(to.map((place) => [place, { change, at: now, reminders: 0 }]));
  return { deliveries, told };
}
