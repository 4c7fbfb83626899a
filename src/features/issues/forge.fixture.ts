import type { Incident } from "../../core/incident/incident.ts";

/** Made-up incidents for tests. */
export const T0 = Date.parse("2026-04-04T18:00:00Z");

export function madeUpIncident(more: Partial<Incident> = {}): Incident {
  return {
    id: "allegro-mm8ws3v4",
    kind: "agent",
    subject: "allegro",
    group: "default",
    state: "dead",
    reason: "no-beat",
    why: "no beat for 20 min",
    severity: "critical",
    since: T0,
    noticedAt: T0,
    openedAt: T0,
    episodes: [T0],
    flapping: false,
    change: 1,
    told: {},
    findings: { at: T0, items: [{ title: "screen", text: "panic: out of memory" }] },
    ...more,
  };
}
