import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, MINUTE, SECOND } from "../duration.ts";
import { countInstants, formatSchedule, instantAfter, instantBefore, lastInstant } from "./schedule.ts";

const every = (length: number, shift = 0) => ({ schedule: { every: length }, shift });
const cron = (expression: string, timezone = "Europe/Berlin", shift = 0) => ({
  schedule: { cron: expression, timezone },
  shift,
});
const at = Date.parse;

describe("a schedule", () => {
  it.each([
    ["a pace keeps to the clock", every(5 * MINUTE), "2026-01-05T10:01:30Z", "2026-01-05T10:05:00Z"],
    ["an instant is after itself", every(5 * MINUTE), "2026-01-05T10:05:00Z", "2026-01-05T10:10:00Z"],
    ["a calendar has its zone", cron("0 9 * * *"), "2026-01-05T08:00:00Z", "2026-01-06T08:00:00Z"],
    ["a shift moves a pace", every(5 * MINUTE, 2), "2026-01-05T10:05:00Z", "2026-01-05T10:05:00.002Z"],
    [
      "a shift moves a calendar",
      cron("0 9 * * *", "UTC", 1),
      "2026-01-05T09:00Z",
      "2026-01-05T09:00:00.001Z",
    ],
  ])("%s", (_, timeline, after, next) => {
    expect(instantAfter(timeline, at(after))).toBe(at(next));
  });

  it("that never comes due is due at infinity", () => {
    expect(instantAfter(cron("0 0 30 2 *"), 0)).toBe(Number.POSITIVE_INFINITY);
  });

  const timelines = fc.constantFrom(
    every(7 * SECOND),
    every(DAY, 3),
    cron("*/20 1-3 * * *"),
    cron("0 0 L * *", "America/New_York"),
    cron("30 2 * * *", "Australia/Lord_Howe", 5),
    cron("* 9 * * 1"),
  );
  it("finds the last instants, and counts them, as if it had gone through all of them", () => {
    const from = at("2026-03-25T00:00Z");
    fc.assert(
      fc.property(timelines, fc.integer({ min: 0, max: 60 }), fc.nat(3600_000), (timeline, count, more) => {
        const all = [instantAfter(timeline, from)];
        while (all.length <= count) all.push(instantAfter(timeline, all.at(-1) as number));
        const [first, last] = [all[0] as number, all[count] as number];
        const until = Math.min(last + more, instantAfter(timeline, last) - 1);
        expect(lastInstant(timeline, first, until)).toBe(last);
        expect(countInstants(timeline, first, last, 1000)).toBe(count + 1);
        for (const back of [0, 1, count]) {
          if (back <= count) expect(instantBefore(timeline, first, last, back)).toBe(all[count - back]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("stops counting above a bound", () => {
    const first = at("2026-01-01T00:00Z");
    expect(countInstants(cron("* * * * *", "UTC"), first, first + 365 * DAY, 200)).toBe(201);
  });

  it("is another text if it is another schedule", () => {
    expect(formatSchedule({ every: 90 * SECOND })).toBe("every 1m30s");
    expect(formatSchedule({ cron: "0 9 * * *", timezone: "UTC" })).toBe("0 9 * * * UTC");
  });
});
