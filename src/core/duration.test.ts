import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, formatDuration, HOUR, iso, MINUTE, parseDuration, SECOND, sayDuration } from "./duration.ts";

describe("parseDuration", () => {
  it.each([
    ["15m", 15 * MINUTE],
    ["1h30m", 90 * MINUTE],
    ["90s", 90 * SECOND],
    ["1h 30m", 90 * MINUTE],
    [" 15 m ", 15 * MINUTE],
    ["15M", 15 * MINUTE],
    ["1.5h", 90 * MINUTE],
    ["250ms", 250],
    ["2d", 2 * DAY],
    ["1w", 7 * DAY],
    ["3653d", 3653 * DAY],
  ])("reads %j", (text, length) => {
    expect(parseDuration(text)).toBe(length);
  });

  it.each([
    ["", "nothing"],
    ["15", "a number without a unit"],
    ["m", "a unit without a number"],
    ["1 5m", "a number with a gap in it"],
    ["-15m", "a negative length"],
    ["0s", "no length at all"],
    ["0.4ms", "less than a millisecond"],
    ["15m!", "something behind"],
    ["15 minutes", "a word"],
    ["1e3s", "an exponent"],
    ["1.h", "half a number"],
    ["Infinityd", "no number"],
    ["15m\u0000", "a control character"],
    ["3654d", "more than ten years"],
    [`${"9".repeat(400)}d`, "a number beyond all numbers"],
  ])("refuses %j: %s", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("takes no longer for a hostile text than for an honest one", () => {
    const began = performance.now();
    expect(parseDuration(`${"1".repeat(50_000)}${" ".repeat(50_000)}!`)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe("formatDuration", () => {
  it.each([
    [90 * MINUTE, "1h30m"],
    [15 * MINUTE, "15m"],
    [DAY + 1, "1d1ms"],
    [0, "0s"],
  ])("writes %d ms as %s", (length, text) => {
    expect(formatDuration(length)).toBe(text);
  });

  it("is read back as the same length", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3653 * DAY }), (length) => {
        expect(parseDuration(formatDuration(length))).toBe(length);
      }),
    );
  });
});

describe("sayDuration", () => {
  it.each([
    [-5, "0 s"],
    [0, "0 s"],
    [400, "under 1 s"],
    [59_999, "59 s"],
    [MINUTE, "1 min"],
    [65 * SECOND, "1 min 5 s"],
    [10 * MINUTE + 59 * SECOND, "10 min"],
    [23 * MINUTE, "23 min"],
    [HOUR + 5 * MINUTE, "1 h 5 min"],
    [HOUR + 59 * SECOND, "1 h"],
    [2 * DAY, "2 d"],
    [2 * DAY + 3 * HOUR + 59 * MINUTE, "2 d 3 h"],
    [400 * DAY, "400 d"],
  ])("says %d ms as %j", (length, text) => {
    expect(sayDuration(length)).toBe(text);
  });
});

describe("iso", () => {
  it("writes UTC with milliseconds", () => {
    expect(iso(Date.UTC(2025, 0, 15, 12))).toBe("2025-01-15T12:00:00.000Z");
  });
});
