import { expect, it } from "vitest";
import { MINUTE } from "../../core/duration.ts";
import type { Incident } from "../../core/incident/incident.ts";
import { madeUpIncident, T0 } from "./forge.fixture.ts";
import { isIssueDue } from "./issue-desk.ts";

const policy = { states: ["dead", "stalled"], after: 15 * MINUTE } as const;
const issue = { forge: "f", number: 1, url: "u" };
const resolved = { at: T0, how: "recovered", why: "x" } as const;

it.each<[string, Partial<Incident>, number, boolean]>([
  ["has lasted", {}, 15, true],
  ["has not lasted yet", {}, 14, false],
  ["is in another state", { state: "waiting" }, 99, false],
  ["is over", { resolved }, 99, false],
  ["has its issue", { issue }, 99, false],
  ["has another speak for it", { spokenForBy: "group-x" }, 99, false],
  ["tells of a reboot", { kind: "reboot" }, 99, false],
  ["is acknowledged, which explains nothing", { acknowledged: { at: T0, by: "ann" } }, 15, true],
  ["was noticed anew", { noticedAt: T0 + 10 * MINUTE }, 20, false],
  ["flaps since long", { flapping: true, noticedAt: T0 + 10 * MINUTE }, 20, true],
  ["flaps and is well at the moment", { flapping: true, calmSince: T0 }, 99, false],
  ["is a group's", { kind: "group", members: ["a", "b"] }, 15, true],
])("an incident that %s", (_, more, minutes, due) => {
  expect(isIssueDue(madeUpIncident(more), policy, [], T0 + minutes * MINUTE)).toBe(due);
});

it("waits for what is found, but not for ever", () => {
  const { findings: _, ...bare } = madeUpIncident({ reason: "exited" });
  const at = (now: number) => isIssueDue(bare, { ...policy, after: 0 }, [], now);
  expect([at(T0), at(T0 + MINUTE - 1), at(T0 + MINUTE)]).toEqual([false, false, true]);
});

it("holds a silence back for a common cause to show itself, and a crash not", () => {
  const at = (reason: Incident["reason"], now: number) =>
    isIssueDue(madeUpIncident({ reason }), { ...policy, after: 0 }, [], now);
  expect([at("no-beat", T0), at("no-beat", T0 + 2 * MINUTE), at("exited", T0)]).toEqual([false, true, true]);
});

it("is withheld by a silence as long as it lasts; many at once only if each is silenced", () => {
  const silence = { id: "s", agents: "a*", from: T0, until: T0 + 60 * MINUTE, why: "", by: "" };
  const at = (incident: Incident, minutes: number) =>
    isIssueDue(incident, policy, [silence], T0 + minutes * MINUTE);
  expect([at(madeUpIncident(), 59), at(madeUpIncident(), 60)]).toEqual([false, true]);
  expect(at(madeUpIncident({ kind: "group", members: ["allegro", "timmy"] }), 30)).toBe(true);
  expect(at(madeUpIncident({ kind: "group", members: ["allegro", "adagio"] }), 30)).toBe(false);
});

it("is withheld by a silence of its group, and not by one of another group", () => {
  const of = (group: string) => {
    const silence = { id: "s", agents: "*", group, from: T0, until: T0 + 60 * MINUTE, why: "", by: "" };
    return isIssueDue(madeUpIncident({ group: "painters" }), policy, [silence], T0 + 30 * MINUTE);
  };
  expect([of("painters"), of("builders")]).toEqual([false, true]);
});
