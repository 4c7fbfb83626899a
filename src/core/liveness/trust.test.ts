import { describe, expect, it } from "vitest";
import { MINUTE } from "../duration.ts";
import { blind, m } from "./case.fixture.ts";
import { afterWatching, FULL_TRUST, lastBreakEnd, outsideBlindness, withPause } from "./trust.ts";

describe("lastBreakEnd", () => {
  const trust = { blind: [blind(0, 5), blind(6, 7, "lag"), blind(8, 9, "suspend"), blind(10, 11, "lag")] };

  it.each<[number, number | undefined, string]>([
    [4, undefined, "while the first break lasts there is none"],
    [5, 5, "a break counts from its end"],
    [8, 5, "a lag is no break"],
    [99, 9, "the last one counts"],
  ])("at minute %d is %s: %s", (now, end) => {
    expect(lastBreakEnd(trust, m(now))).toBe(end === undefined ? undefined : m(end));
  });
});

describe("outsideBlindness", () => {
  const trust = { blind: [blind(0, 5), blind(5, 7, "lag"), blind(10, 12)] };

  it.each([
    [-1, -1, "before"],
    [0, 7, "the first instant is not watched, and neither is what touches"],
    [6, 7, "inside a lag"],
    [7, 7, "the end is watched again"],
    [11, 12, "inside"],
    [12, 12, "after"],
  ])("moves minute %d to %d: %s", (from, to) => {
    expect(outsideBlindness(trust, m(from))).toBe(m(to));
  });
});

describe("afterWatching", () => {
  it.each([
    [[], 10, "nothing was missed"],
    [[blind(-5, 0)], 10, "what was missed before does not count"],
    [[blind(-5, 2)], 12, "what was missed counts from the start"],
    [[blind(3, 5)], 12, "what was missed does not age"],
    [[blind(3, 5, "lag"), blind(11, 20)], 21, "what it moves into does not age either"],
    [[blind(3, 5), blind(4, 6, "paused")], 13, "what was missed twice counts once"],
    [[blind(3, 9), blind(4, 6, "paused")], 16, "also where one lies inside the other"],
    [[blind(10, 20)], 10, "what comes after does not count"],
  ])("with %j ten minutes from minute 0 end at minute %d: %s", (spans, end) => {
    expect(afterWatching({ blind: spans }, m(0), 10 * MINUTE)).toBe(m(end));
  });
});

describe("withPause", () => {
  it("adds nothing where there was no pause, or it has not ended", () => {
    expect(withPause(FULL_TRUST, undefined, undefined)).toBe(FULL_TRUST);
    expect(withPause(FULL_TRUST, m(1), undefined)).toBe(FULL_TRUST);
  });

  it("puts the pause in its place among the spans", () => {
    expect(withPause({ blind: [blind(0, 1), blind(8, 9)] }, m(3), m(5)).blind).toEqual([
      blind(0, 1),
      blind(3, 5, "paused"),
      blind(8, 9),
    ]);
  });

  it("leaves only the moment of an older pause while a new one lasts", () => {
    expect(withPause(FULL_TRUST, m(7), m(5)).blind).toEqual([blind(5, 5, "paused")]);
  });
});
