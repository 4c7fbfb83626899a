import type { IncidentView, State } from "../api/shapes.ts";
import { STATES } from "../words/states.ts";

/** Which incidents are shown. It lives in the address, so that a view can be sent to somebody. */
export interface ShownIncidents {
  readonly state: State | "";
  readonly severity: "" | "critical" | "warning";
  /** Only those that nobody has acknowledged. */
  readonly unacknowledged: boolean;
  readonly text: string;
}

export function incidentFilter(query: URLSearchParams): ShownIncidents {
  const severity = query.get("severity");
  return {
    state: STATES.find((state) => state === query.get("state")) ?? "",
    severity: severity === "critical" || severity === "warning" ? severity : "",
    unacknowledged: query.get("unacknowledged") !== null,
    text: query.get("q") ?? "",
  };
}

export function incidentAddress({ state, severity, unacknowledged, text }: ShownIncidents): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ state, severity, q: text }))
    if (value !== "") query.set(key, value);
  if (unacknowledged) query.set("unacknowledged", "");
  const said = query.toString();
  return said === "" ? "/incidents" : `/incidents?${said}`;
}

export function passes(incident: IncidentView, filter: ShownIncidents): boolean {
  if (filter.state !== "" && incident.state !== filter.state) return false;
  if (filter.severity !== "" && incident.severity !== filter.severity) return false;
  if (filter.unacknowledged && incident.acknowledged !== null) return false;
  const { subject, kind, group, host, state, reason, why, members, severity } = incident;
  const shown = [subject, kind, group, host, state, reason, why, severity, ...(members ?? [])]
    .join(" ")
    .toLowerCase();
  return filter.text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}
