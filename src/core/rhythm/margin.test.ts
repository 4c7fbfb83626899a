import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adjust, MARGIN } from "./margin.ts";

describe("how the margin of a group is steered", () => {
  test("a day with just the allowed false alarms changes nothing", () => {
    expect(adjust(2, 1, 30)).toBeCloseTo(2, 12);
  });
  test("more false alarms than allowed widen it, fewer narrow it", () => {
    expect(adjust(2, 10, 30)).toBeGreaterThan(2);
    expect(adjust(2, 0, 30)).toBeLessThan(2);
  });
  test("a large group takes small steps: each alarm over the allowed ones is a tenth of their number", () => {
    expect(adjust(2, 11, 300)).toBeCloseTo(2 * Math.exp(0.01), 12);
  });
  test("a single agent takes no step above half: one false alarm widens it by 62 %", () => {
    expect(adjust(1, 1, 1)).toBeCloseTo(Math.exp(0.5 * (1 - 1 / 30)), 12);
  });
  test("a larger budget tolerates more", () => {
    expect(adjust(2, 30, 30, 1, 1)).toBeCloseTo(2, 12);
  });
  test("a group of nobody, or no time watched, changes nothing", () => {
    expect(adjust(2, 5, 0)).toBe(2);
    expect(adjust(2, 5, 10, 0)).toBe(2);
  });
  test("it never leaves its bounds", () => {
    const count = fc.nat({ max: 10_000 });
    const within = fc.double({ min: MARGIN.least, max: MARGIN.most, noNaN: true });
    fc.assert(
      fc.property(within, count, fc.integer({ min: 1, max: 10_000 }), (margin, alarms, agents) => {
        const next = adjust(margin, alarms, agents);
        expect(next).toBeGreaterThanOrEqual(MARGIN.least);
        expect(next).toBeLessThanOrEqual(MARGIN.most);
      }),
    );
  });
});
