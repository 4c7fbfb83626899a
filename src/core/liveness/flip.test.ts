import { describe, expect, it } from "vitest";
import { MINUTE } from "../duration.ts";
import { blind, gone, heard, m, madeUp, standing } from "./case.fixture.ts";
import { flip, judge } from "./judge.ts";
import { FULL_TRUST } from "./trust.ts";
import { NO_BASIS } from "./verdict.ts";

describe("a flip", () => {
  const alive = standing(madeUp(0, { observations: [heard(0)] }));

  it("is dated at the deadline, not when it was noticed", () => {
    const now = m(33);
    const verdict = judge(madeUp(33, { observations: [heard(0)], previous: alive }));
    expect(flip("allegro", alive, verdict, now, FULL_TRUST)).toEqual({
      agent: "allegro",
      from: "alive",
      to: "dead",
      reason: "no-beat",
      why: "no beat for 33 min; expected every 15 min, 5 min of grace",
      at: m(20),
      noticedAt: now,
    });
  });

  it("is none where the state is the same for another reason", () => {
    const verdict = judge(madeUp(9, { observations: [heard(8, { source: "wrapper" })], previous: alive }));
    expect(verdict.reason).toBe("wrapper-beat");
    expect(flip("allegro", alive, verdict, m(9), FULL_TRUST)).toBeUndefined();
  });

  it.each([
    ["at the moment that it was last seen", 5, 0, [], 5],
    ["not before the state that it ends", 5, 7, [], 7],
    ["not inside a span that was not watched", 5, 0, [blind(4, 6)], 6],
    ["not after it was noticed, though the state that it ends is dated in the future", 5, 30, [], 9],
  ])("of a process that went is dated %s", (_, lastSeen, since, spans, at) => {
    const trust = { blind: spans };
    const verdict = judge(madeUp(9, { observations: [gone(lastSeen, 8)], trust }));
    expect(flip("allegro", { ...alive, since: m(since) }, verdict, m(9), trust)?.at).toBe(m(at));
  });

  it.each([
    ["from dead to alive", "dead", 50, "alive"],
    ["from alive to dead", "alive", 10, "dead"],
  ] as const)("that another rule brings about is dated when that rule came: %s", (_, before, every, to) => {
    const { verdict } = alive;
    const previous = { verdict: { ...verdict, state: before, basis: NO_BASIS }, since: m(20) };
    const rule = { every: every * MINUTE, grace: 5 * MINUTE };
    const now = judge(madeUp(30, { observations: [heard(0)], previous, rule }));
    expect(flip("allegro", previous, now, m(30), FULL_TRUST)).toMatchObject({ to, at: m(30) });
  });

  it("is dated at the end of our outage where its deadline lay inside", () => {
    const trust = { blind: [blind(16, 60)] };
    const late = standing(madeUp(15.5, { observations: [heard(0)] }));
    const verdict = judge(madeUp(61, { observations: [heard(0)], previous: late, trust }));
    expect(flip("allegro", late, verdict, m(61), trust)).toMatchObject({
      from: "late",
      to: "unknown",
      at: m(60),
    });
  });
});
