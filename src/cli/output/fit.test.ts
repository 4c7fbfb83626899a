import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitColumns, GAP } from "./width.ts";

const NAME = { least: 6 };
const STATE = {};
const BEAT = { drop: 2 };
const WHY = { least: 10, drop: 1 };

describe("fitColumns", () => {
  it.each([
    ["everything as wide as it wants where there is room", 100, [12, 5, 9, 40]],
    ["the last columns are cut first", 50, [12, 5, 9, 18]],
    ["then the first ones, to make room for the least of the others", 38, [8, 5, 9, 10]],
    ["then a column goes, and the others get its room", 35, [12, 5, 0, 14]],
    ["then the next one", 22, [12, 5, 0, 0]],
    ["and what may not go is cut as far as it may", 13, [6, 5, 0, 0]],
    ["but no further", 3, [6, 5, 0, 0]],
    ["without a limit nothing is cut", Number.POSITIVE_INFINITY, [12, 5, 9, 40]],
  ])("%s", (_, total, widths) => {
    expect(fitColumns([12, 5, 9, 40], [NAME, STATE, BEAT, WHY], total)).toEqual(widths);
  });

  it("never takes more than there is if every column may go, and wastes nothing that a shown one wants", () => {
    const column = fc.record({
      wanted: fc.integer({ min: 1, max: 60 }),
      least: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 7 }), fc.nat(300), (columns, total) => {
        const wanted = columns.map((each) => each.wanted);
        const widths = fitColumns(
          wanted,
          columns.map(({ least }, i) => ({ least, drop: i })),
          total,
        );
        const shown = widths.filter((each) => each > 0);
        const taken = shown.reduce((sum, each) => sum + each, GAP * Math.max(0, shown.length - 1));
        expect(taken).toBeLessThanOrEqual(total);
        if (taken < total) expect(widths.every((each, i) => each === 0 || each === wanted[i])).toBe(true);
      }),
    );
  });
});
