import { describe, expect, it } from "vitest";
import { grown, sayDuration, sayRelative, sayShort } from "./duration.ts";

const MIN = 60_000;

describe("lengths for people", () => {
  it.each([
    [0, "0 s"],
    [400, "0 s"],
    [59_999, "59 s"],
    [61_000, "1 min 1 s"],
    [23 * MIN + 4000, "23 min"],
    [65 * MIN, "1 h 5 min"],
    [48 * 60 * MIN, "2 d"],
    [-5, "0 s"],
  ])("%d ms is said as %s", (length, said) => expect(sayDuration(length)).toBe(said));

  it("is short where numbers stand under each other", () => expect(sayShort(65 * MIN)).toBe("1 h"));
  it("tells past from future", () => {
    expect(sayRelative(0, 5 * MIN)).toBe("5 min ago");
    expect(sayRelative(5 * MIN, 0)).toBe("in 5 min");
    expect(sayRelative(100, 0)).toBe("now");
  });
});

describe("a sentence that was said a while ago", () => {
  it.each([
    [
      "beat 4 s ago; expected every 15 min, 5 min of grace",
      "beat",
      "beat 5 min 4 s ago; expected every 15 min, 5 min of grace",
    ],
    ["no beat for 25 min; expected every 15 min", "no-beat", "no beat for 30 min; expected every 15 min"],
    ["beat just now; expected every 15 min", "beat", "beat 5 min ago; expected every 15 min"],
    ["present; no beats are expected", "present", "present; no beats are expected"],
    ["no progress for 1 h 2 min; limit 45 min", "silent", "no progress for 1 h 7 min; limit 45 min"],
  ])("“%s” grows by five minutes", (why, reason, later) => expect(grown(why, reason, 5 * MIN)).toBe(later));

  it("leaves alone what an agent says itself", () => {
    const why = "its last beat reports an error: waited for 5 min";
    expect(grown(why, "says-error", MIN)).toBe(why);
  });
});
