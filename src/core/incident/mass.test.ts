import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../duration.ts";
import type { Incident } from "./incident.ts";
import { massIncident } from "./mass.ts";

const T = Date.parse("2026-03-02T08:00:00Z");

function silent(subject: string, noticedAt: number): Incident {
  return {
    id: `${subject}-1`,
    kind: "agent",
    subject,
    group: "web",
    state: "dead",
    reason: "no-beat",
    why: "no beat",
    severity: "critical",
    since: noticedAt,
    noticedAt,
    openedAt: noticedAt,
    episodes: [noticedAt],
    flapping: false,
    change: 1,
    told: {},
  };
}

describe("many who fell silent at once", () => {
  const held = [silent("a", T), silent("b", T + MINUTE), silent("c", T + 2 * MINUTE)];
  it.each([
    ["a moment later", held, T + 3 * MINUTE, ["a", "b", "c"]],
    ["long after, because we were away", held, T + HOUR, ["a", "b", "c"]],
    ["without who was noticed long before", [silent("z", T - HOUR), ...held], T + HOUR, ["a", "b", "c"]],
    ["but not if they are too few at once", [silent("z", T - HOUR), ...held.slice(1)], T + HOUR, undefined],
  ])("are one incident, %s", (_, list, now, members) => {
    expect(massIncident("web", 6, list, 2 * MINUTE, now)?.members).toEqual(members);
  });
});
