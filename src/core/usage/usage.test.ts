import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../duration.ts";
import { overBudget, readDollars, readTokens, sayTokens } from "./budget.ts";
import { dayOf } from "./day.ts";
import { forecastOf } from "./forecast.ts";
import { listPrice } from "./prices.ts";
import {
  bestOf,
  type LimitUse,
  moreThan,
  NO_TOKENS,
  NO_USAGE,
  sumOf,
  type Usage,
  withSpent,
} from "./usage.ts";

const T = Date.UTC(2026, 10, 17, 9);
const tokens = (input: number, output = 0) => ({ ...NO_TOKENS, input, output });
const onDay = (day: string, input: number, cost = 0, at = T): Usage =>
  withSpent(NO_USAGE, { tokens: tokens(input), cost }, at, day);

describe("usage by day", () => {
  it("adds up what belongs to a day, in the order of the days, and forgets old ones", () => {
    let usage = withSpent(NO_USAGE, { tokens: tokens(10, 5), cost: 0.5 }, T, "2026-11-17");
    usage = withSpent(usage, { tokens: tokens(1), compacted: true }, T + 1, "2026-11-17");
    usage = withSpent(usage, { context: 1.2 }, T + 2, "2026-11-18");
    expect(usage).toMatchObject({
      days: [{ day: "2026-11-17", input: 11, output: 5, cost: 0.5, compactions: 1 }],
      ...{ context: 1, at: T + 2 },
    });
    for (let n = 1; n <= 60; n++)
      usage = withSpent(usage, { cost: 1 }, T, `2027-${String(n).padStart(3, "0")}`);
    expect(usage.days).toHaveLength(31);
  });

  it("counts what a counter gained, and the whole of one that began anew", () => {
    expect(moreThan(tokens(10, 5), tokens(30, 6))).toEqual(tokens(20, 1));
    expect(moreThan(tokens(10, 5), tokens(3, 1))).toEqual(tokens(3, 1));
  });

  it("takes the most that sources of one agent know, and the sum of its sessions", () => {
    const [a, b] = [onDay("2026-11-17", 10, 1), onDay("2026-11-17", 0, 3, T + 5)];
    expect(bestOf([a, b])?.days).toMatchObject([{ input: 10, cost: 3 }]);
    expect(sumOf([a, b])?.days).toMatchObject([{ input: 10, cost: 4 }]);
    expect(bestOf([])).toBeUndefined();
  });

  it("knows the day by the clock of the host, also where it was set forward", () => {
    expect(dayOf(Date.UTC(2026, 10, 17, 23, 30), "UTC")).toBe("2026-11-17");
    expect(dayOf(Date.UTC(2026, 10, 17, 23, 30), "Asia/Tokyo")).toBe("2026-11-18");
    expect(dayOf(Date.UTC(2026, 2, 29, 1, 0), "Europe/Berlin")).toBe("2026-03-29");
  });
});

describe("a limit", () => {
  const limit = (used: number, earlier: LimitUse["earlier"], resetsAt?: number): LimitUse => ({
    ...{ name: "5h", used, at: T, earlier },
    ...(resetsAt === undefined ? {} : { resetsAt }),
  });
  it.each([
    {
      name: "half used within half an hour runs out in another",
      of: limit(0.5, [[T - HOUR / 2, 0]]),
      runs: HOUR / 2,
    },
    {
      name: "that is reset before does not run out",
      of: limit(0.5, [[T - HOUR / 2, 0]], T + 10 * MINUTE),
      runs: undefined,
    },
    {
      name: "of which nothing is used lately does not",
      of: limit(0.5, [[T - HOUR / 2, 0.5]]),
      runs: undefined,
    },
    {
      name: "is measured by the last hour only",
      of: limit(0.5, [
        [T - 4 * HOUR, 0],
        [T - HOUR, 0.4],
      ]),
      runs: 5 * HOUR,
    },
    { name: "that is used up has run out", of: limit(1, []), runs: 0 },
  ])("$name", ({ of, runs }) => {
    expect(forecastOf(of, T)?.runsOutAt).toBe(runs === undefined ? undefined : T + runs);
  });

  it("that was reset since is not known any more, and its past is forgotten", () => {
    expect(forecastOf(limit(0.9, [], T - 1), T)).toBeUndefined();
    const used = (usage: Usage, share: number, at: number) =>
      withSpent(usage, { limits: [{ name: "5h", used: share }] }, at, "2026-11-17");
    const full = [0.1, 0.2, 0.3].reduce(
      (usage, share, n) => used(usage, share, T + n * 6 * MINUTE),
      NO_USAGE,
    );
    expect(full.limits[0]?.earlier).toHaveLength(3);
    expect(used(full, 0.05, T + HOUR).limits[0]?.earlier).toEqual([[T + HOUR, 0.05]]);
  });
});

describe("money", () => {
  it.each([
    ["claude-opus-4-1-20250805", 15 + 75],
    ["claude-opus-4-5", 5 + 25],
    ["claude-sonnet-4-5", 3 + 15],
    ["claude-haiku-4-5", 1 + 5],
    ["gpt-5.1-codex", 1.25 + 10],
    ["gpt-5.1-codex-mini", 0.25 + 2],
    ["gpt-5.2-codex", 1.75 + 14],
    ["claude-3-opus-20240229", 15 + 75],
    ["claude-3-haiku-20240307", 0.25 + 1.25],
    ["claude-3-5-haiku-20241022", 0.8 + 4],
    ["gemini-2.5-pro", 1.25 + 10],
    ["gemini-2.5-flash", 0.3 + 2.5],
    ["gemini-3-pro-preview", 2 + 12],
    ["gemini-3-flash-preview", 0.5 + 3],
    ["a-model-that-nobody-knows", undefined],
  ])("a million tokens in and out of %s cost %s USD", (model, cost) => {
    expect(listPrice(model, tokens(1_000_000, 1_000_000))).toBe(cost);
  });

  it("what was kept costs a tenth", () => {
    expect(listPrice("claude-sonnet-4-5", { ...NO_TOKENS, cacheRead: 1_000_000 })).toBeCloseTo(0.3);
  });

  it.each([
    ["20 USD", 20],
    ["$4.50", 4.5],
    [7, 7],
    ["20 EUR", undefined],
    ["-1", undefined],
    [0, undefined],
    [{}, undefined],
  ])("%j is %s dollars", (written, amount) => expect(readDollars(written)).toBe(amount));

  it.each([
    ["50M", 50_000_000],
    ["1.5k", 1500],
    [12, 12],
    ["50m", undefined],
    ["", undefined],
  ])("%j are %s tokens", (written, amount) => expect(readTokens(written)).toBe(amount));

  it.each([
    [950, "950"],
    [12_300, "12.3k"],
    [999_990, "1M"],
    [50_000_000, "50M"],
  ])("%d tokens are said as %s", (count, said) => expect(sayTokens(count)).toBe(said));

  it("says what is over, and nothing while nothing is", () => {
    const [day] = onDay("2026-11-17", 3000, 21.4).days;
    expect(overBudget({ day: 20, tokens: 2000 }, day)).toBe(
      "used 21.40 USD of 20.00 USD, and 3k tokens of 2k on 2026-11-17",
    );
    expect(overBudget({ day: 22 }, day)).toBeUndefined();
    expect(overBudget({ day: 1 }, undefined)).toBeUndefined();
  });
});
