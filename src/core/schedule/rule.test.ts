import { describe, expect, it } from "vitest";
import { DEFAULT_RULE, type Rule } from "../agent.ts";
import { HOUR, MINUTE } from "../duration.ts";
import { dueAfter, fairChance, sameRule, sayRule } from "./rule.ts";

const nightly: Rule = { schedule: "30 2 * * *", timezone: "Europe/Berlin", grace: HOUR };
const never: Rule = { schedule: "0 0 30 2 *", timezone: "UTC", grace: HOUR };
const noon = Date.parse("2025-01-15T12:00Z");

describe("a rule", () => {
  it.each([
    [DEFAULT_RULE, noon + 15 * MINUTE, "a pace counts from the stamp"],
    [nightly, Date.parse("2025-01-16T01:30Z"), "a calendar has its own dates"],
    [never, Number.POSITIVE_INFINITY, "a calendar without dates never comes due"],
  ])("%j is next due at %d: %s", (rule, due) => {
    expect(dueAfter(rule, noon)).toBe(due);
  });

  it("gives one whole dead-after as a fair chance, and a calendar its grace", () => {
    expect(fairChance(DEFAULT_RULE)).toBe(20 * MINUTE);
    expect(fairChance(nightly)).toBe(HOUR);
  });

  it("is said in words", () => {
    expect(sayRule(DEFAULT_RULE)).toBe("expected every 15 min, 5 min of grace");
    expect(sayRule(nightly)).toBe('expected by schedule "30 2 * * *" (Europe/Berlin), 1 h of grace');
  });

  it.each([
    [DEFAULT_RULE, { every: 15 * MINUTE, grace: 5 * MINUTE }, true],
    [DEFAULT_RULE, { every: 15 * MINUTE, grace: 6 * MINUTE }, false],
    [DEFAULT_RULE, { every: 16 * MINUTE, grace: 5 * MINUTE }, false],
    [DEFAULT_RULE, nightly, false],
    [nightly, DEFAULT_RULE, false],
    [nightly, { ...nightly }, true],
    [nightly, { ...nightly, timezone: "UTC" }, false],
    [nightly, { ...nightly, schedule: "31 2 * * *" }, false],
    [nightly, { ...nightly, grace: 2 * HOUR }, false],
  ])("%j and %j are the same: %s", (a, b, same) => {
    expect(sameRule(a, b)).toBe(same);
  });
});
