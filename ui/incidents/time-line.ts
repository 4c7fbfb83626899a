import type { DeliveryView, IncidentView, RecoveryView } from "../api/shapes.ts";

/** A moment of an incident's life. */
export interface IncidentMoment {
  readonly at: string;
  readonly what:
    | "opened"
    | "reopened"
    | "noticed"
    | "told"
    | "not told"
    | "step"
    | "acknowledged"
    | "escalated"
    | "over";
  readonly text: string;
}

/** What happened about an incident, oldest first: told counts when it was delivered, not when it was queued. */
export function incidentMoments(
  incident: IncidentView,
  deliveries: readonly DeliveryView[],
  recoveries: readonly RecoveryView[],
): readonly IncidentMoment[] {
  const { acknowledged, resolved, escalatedAt, openedAt, reopenedAt, since } = incident;
  const moment = (at: string | null, what: IncidentMoment["what"], text: string): IncidentMoment[] =>
    at === null ? [] : [{ at, what, text }];
  // Rollcall keeps when it noticed the present state, and why it is in that one.
  const began = reopenedAt ?? openedAt;
  const late = since === began && Date.parse(incident.noticedAt) - Date.parse(since) > 5000;
  return [
    ...moment(openedAt, "opened", since === openedAt ? incident.why : ""),
    ...moment(reopenedAt, "reopened", since === reopenedAt ? incident.why : ""),
    ...(late ? moment(incident.noticedAt, "noticed", "Rollcall noticed it") : []),
    ...deliveries.flatMap(({ state, to, endedAt, triedAt, message, problem }) =>
      state === "sent"
        ? moment(endedAt, "told", `${to}: ${message.title}`)
        : moment(endedAt ?? triedAt, "not told", `${to}: ${problem ?? message.title}`),
    ),
    ...recoveries
      .filter((recovery) => recovery.incident === incident.id && recovery.state !== "planned")
      .flatMap(({ step, state, why, endedAt, startedAt, plannedAt }) =>
        moment(endedAt ?? startedAt ?? plannedAt, "step", `${step} ${state}: ${why}`),
      ),
    ...moment(escalatedAt, "escalated", "nobody had acknowledged it"),
    ...(acknowledged === null ? [] : moment(acknowledged.at, "acknowledged", `by ${acknowledged.by}`)),
    ...(resolved === null ? [] : moment(resolved.at, "over", resolved.why)),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
