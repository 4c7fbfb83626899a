import { describe, expect, it } from "vitest";
import type { DeliveryView, IncidentView, RecoveryView } from "../api/shapes.ts";
import { incidentAddress, incidentFilter, passes } from "./filter.ts";
import { incidentMoments } from "./time-line.ts";

const at = (second: number) => new Date(second * 1000).toISOString();
const incident = {
  ...{
    id: "i1",
    kind: "agent",
    subject: "builder",
    group: "code",
    host: null,
    state: "dead",
    severity: "critical",
  },
  ...{ reason: "no-beat", why: "no beat for 9 min", members: null, escalatedAt: null },
  ...{ openedAt: at(10), reopenedAt: null, since: at(10), noticedAt: at(12) },
  acknowledged: { at: at(40), by: "ada" },
  resolved: { at: at(50), how: "recovered", why: "it beats again" },
} as unknown as IncidentView;

describe("the time line of an incident", () => {
  it("tells in order when it opened, was told, was acted on, acknowledged, and over", () => {
    const sent = { state: "sent", to: "ops", endedAt: at(20), message: { title: "builder is dead" } };
    const refused = {
      state: "refused",
      to: "mail",
      endedAt: at(21),
      problem: "403",
      message: { title: "x" },
    };
    const waiting = { state: "pending", to: "chat", endedAt: null, triedAt: null, message: { title: "x" } };
    const restart = { incident: "i1", step: "restart", state: "done", why: "started", endedAt: at(30) };
    const other = { ...restart, incident: "i2" };
    const moments = incidentMoments(
      incident,
      [refused, sent, waiting] as unknown as DeliveryView[],
      [other, restart] as unknown as RecoveryView[],
    );
    expect(moments.map(({ what, text }) => `${what}: ${text}`)).toEqual([
      "opened: no beat for 9 min",
      "told: ops: builder is dead",
      "not told: mail: 403",
      "step: restart done: started",
      "acknowledged: by ada",
      "over: it beats again",
    ]);
  });

  it("says when it was noticed, if that was later", () => {
    const late = { ...incident, noticedAt: at(99), acknowledged: null, resolved: null };
    expect(incidentMoments(late, [], []).map(({ what }) => what)).toEqual(["opened", "noticed"]);
    // What was noticed is the present state, which may be a later one.
    const worse = { ...late, since: at(98) };
    expect(incidentMoments(worse, [], []).map(({ what }) => what)).toEqual(["opened"]);
  });

  it("tells what was wrong with the trouble that came back", () => {
    const back = { reopenedAt: at(70), since: at(70), noticedAt: at(71) };
    const again = { ...incident, ...back, acknowledged: null, resolved: null };
    expect(incidentMoments(again, [], []).map(({ what, text }) => [what, text])).toEqual([
      ["opened", ""],
      ["reopened", "no beat for 9 min"],
    ]);
  });
});

describe("the filter of the incidents", () => {
  it.each<[string, boolean]>([
    ["", true],
    ["state=dead", true],
    ["state=waiting", false],
    ["severity=critical&q=code+beat", true],
    ["severity=warning", false],
    ["unacknowledged=", false],
    ["q=somebody", false],
  ])("%s: %s", (query, shown) => {
    const filter = incidentFilter(new URLSearchParams(query));
    expect(passes(incident, filter)).toBe(shown);
    expect(incidentFilter(new URL(incidentAddress(filter), "http://x").searchParams)).toEqual(filter);
  });
});
