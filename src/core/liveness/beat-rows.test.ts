import { describe, expect, it } from "vitest";
import type { Rule } from "../agent.ts";
import { HOUR } from "../duration.ts";
import { begun, ended, heard, type Line, m, madeUp, present, runs, tried, wrapped } from "./case.fixture.ts";
import { judge } from "./judge.ts";

function table(lines: readonly Line[]): void {
  it.each(lines)("$name", (line) => {
    const { found, expected } = tried(line);
    expect(found).toBe(expected);
  });
}

describe("rows 9 and 10: the beat rule, by default every 15 minutes with 5 of grace", () => {
  const nightly: Rule = { schedule: "0 13 * * *", timezone: "UTC", grace: HOUR };
  table([
    { name: "a fresh beat is life", now: 14.9, facts: [heard(0)], is: ["alive", "beat"], at: 0 },
    { name: "a wrapper's beat is existence", now: 14, facts: [wrapped(0)], is: ["alive", "wrapper-beat"] },
    {
      name: "an own beat after the wrapper's is life",
      now: 14,
      facts: [wrapped(0), heard(1)],
      is: ["alive", "beat"],
    },
    {
      name: "past the expected time it is late",
      now: 15,
      facts: [heard(0)],
      is: ["late", "overdue"],
      at: 15,
    },
    {
      name: "a stamp of exactly 20 minutes is dead",
      now: 20,
      facts: [heard(0)],
      is: ["dead", "no-beat"],
      at: 20,
    },
    {
      name: "a stamp older than 20 minutes is dead, since its deadline",
      now: 23,
      facts: [heard(0)],
      is: ["dead", "no-beat"],
      at: 20,
    },
    { name: "a stamp younger than that is not", now: 19.99, facts: [heard(0)], is: ["late", "overdue"] },
    {
      name: "the newest of all stamps counts",
      now: 20,
      facts: [heard(0), wrapped(9)],
      is: ["alive", "wrapper-beat"],
    },
    { name: "a cycle's begin is a stamp", now: 20, facts: [heard(0), begun(9)], is: ["alive", "beat"] },
    {
      name: "a process that is there does not replace the beats that were promised",
      now: 20,
      facts: [heard(0), present(20)],
      is: ["dead", "no-beat"],
    },
    { name: "registered and not yet heard is new", now: 19.9, facts: [], is: ["new", "registered"], at: 0 },
    {
      name: "never heard within its first dead-after is dead",
      now: 20,
      facts: [],
      is: ["dead", "never-heard"],
      at: 20,
    },
    {
      name: "by the calendar it is fresh until its date",
      now: 59,
      facts: [heard(0)],
      more: { rule: nightly },
      is: ["alive", "beat"],
    },
    {
      name: "… late after it",
      now: 60,
      facts: [heard(0)],
      more: { rule: nightly },
      is: ["late", "overdue"],
      at: 60,
    },
    {
      name: "… and dead after its grace",
      now: 120,
      facts: [heard(0)],
      more: { rule: nightly },
      is: ["dead", "no-beat"],
      at: 120,
    },
    {
      name: "what promises no beats and was heard is alive",
      now: 999,
      facts: [heard(0)],
      unpromised: true,
      is: ["alive", "beat"],
    },
    {
      name: "what promises no beats and is there is alive",
      now: 999,
      facts: [present(998)],
      unpromised: true,
      is: ["alive", "present"],
    },
    {
      name: "what promises no beats and was never seen stays new",
      now: 999,
      facts: [],
      unpromised: true,
      is: ["new", "registered"],
    },
  ]);
});

describe("two agents under one id", () => {
  const [a, b] = [{ host: "ann" }, { host: "bob" }];
  table([
    {
      name: "two hosts that beat by turns are a conflict",
      now: 9,
      facts: [heard(8, { ...a, firstAt: m(0) }), heard(7, { ...b, firstAt: m(1) })],
      is: ["alive", "duplicate-id"],
    },
    {
      name: "a move from one host to another is none",
      now: 9,
      facts: [heard(5, { ...a, firstAt: m(0) }), heard(8, { ...b, firstAt: m(6) })],
      is: ["alive", "beat"],
    },
    {
      name: "an agent and its wrapper on one host are none",
      now: 9,
      facts: [heard(5, a), wrapped(8, { ...a, firstAt: m(0) })],
      is: ["alive", "wrapper-beat"],
    },
    {
      name: "a conflict of which one side has long been silent is over",
      now: 40,
      facts: [heard(39, { ...a, firstAt: m(0) }), heard(7, { ...b, firstAt: m(1) })],
      is: ["alive", "beat"],
    },
    {
      name: "a beat that names no host takes no part",
      now: 9,
      facts: [heard(8, { firstAt: m(0) }), heard(7, { ...b, firstAt: m(1) })],
      is: ["alive", "beat"],
    },
  ]);

  it("names both hosts, whoever beat last", () => {
    const facts = [heard(8, { ...b, firstAt: m(0) }), heard(7, { ...a, firstAt: m(1) })];
    expect(judge(madeUp(9, { observations: facts })).why).toBe(
      "beats come from two hosts, ann and bob: two agents use this id",
    );
  });
});

describe("row 9 for runs: one that was begun ends by the time of the next sign of life", () => {
  table([
    {
      name: "a run under way that began a moment ago is life, although another one ended cleanly",
      now: 5,
      facts: [heard(4), begun(1), ended(4), runs(4, 1)],
      is: ["alive", "beat"],
    },
    {
      name: "with no run under way a clean end is rest",
      now: 5,
      facts: [heard(4), begun(1), ended(4), runs(4)],
      is: ["resting", "ended"],
    },
    {
      name: "a run that hangs is late, although others end in time",
      now: 16,
      facts: [heard(15), ended(15), runs(15, 0)],
      is: ["late", "run-overdue"],
      at: 15,
    },
    {
      name: "a run that hangs is dead after the grace, although others end in time",
      now: 21,
      facts: [heard(20), ended(20), runs(20, 0)],
      is: ["dead", "run-overdue"],
      at: 20,
    },
  ]);

  it("is asked about when the run is due, not only when the last beat is", () => {
    const verdict = judge(madeUp(10, { observations: [heard(9), runs(9, 2)] }));
    expect(verdict.next).toBe(m(17));
  });
});
