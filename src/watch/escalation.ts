import type { Delivery } from "../core/delivery/delivery.ts";
import type { Instant } from "../core/duration.ts";
import { deliveryOf } from "../core/incident/agenda.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { Policy } from "../core/incident/policy.ts";
import { wordsFor } from "../core/incident/words.ts";

/** The messages of a step that tells these places of an incident. */
export function escalation(
  incident: Incident,
  { to, recovery, policy }: { to: readonly string[]; recovery: string; policy: Policy },
  now: Instant,
): readonly Delivery[] {
  const message = wordsFor(incident, "changed", now, policy);
  return to.map((place) => ({
    ...deliveryOf(incident, place, "changed", 0, message, now, policy.group),
    // An alert about the same change may be under way to the same place.
    key: `${incident.subject}:${recovery}:escalate:${place}`,
  }));
}
