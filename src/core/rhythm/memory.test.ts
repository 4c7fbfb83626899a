import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY, type Memory, recall, remember } from "./memory.ts";

const DAY = 86_400_000;

function filled(gaps: readonly number[], at: number, memory: Memory = EMPTY): Memory {
  return gaps.reduce((grown, gap) => remember(grown, gap, at), memory);
}

describe("what a memory holds", () => {
  const both = filled([50, 60], 15 * DAY, filled([10, 20, 30, 40], DAY));
  const rows: [
    sentence: string,
    memory: Memory,
    now: number,
    longest: number,
    fourth: number,
    gaps: number,
  ][] = [
    ["nothing is known at first", EMPTY, 0, 0, 0, 0],
    ["three gaps have no fourth longest", filled([1, 2, 3], 0), 0, 3, 0, 3],
    ["the fourth longest is found whatever the order", filled([5, 9, 1, 7, 3, 8], 0), 0, 9, 5, 6],
    ["equal gaps count each", filled([7, 7, 7, 7, 7], 0), 0, 7, 7, 5],
    ["two epochs are remembered together", both, 15 * DAY, 60, 30, 6],
    ["the older epoch is forgotten when the next one begins", both, 28 * DAY, 60, 0, 2],
    ["everything is forgotten after two epochs without a gap", both, 42 * DAY, 0, 0, 0],
    ["a clock that was set back forgets nothing", both, 0, 60, 30, 6],
  ];
  test.each(rows)("%s", (_sentence, memory, now, longest, fourth, gaps) => {
    expect(recall(memory, now)).toMatchObject({ longest, fourth, gaps });
  });
});

describe("when a memory is young", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index);
  const rows: [sentence: string, memory: Memory, now: number, young: boolean][] = [
    ["in its first week, with however many gaps", filled(hundred, DAY), 7 * DAY, true],
    ["not after a week with a hundred gaps", filled(hundred, DAY), 8 * DAY, false],
    ["with fewer than a hundred gaps, however old", filled(hundred.slice(1), DAY), 13 * DAY, true],
    [
      "again, when it has forgotten everything",
      filled(hundred, 50 * DAY, filled(hundred, DAY)),
      51 * DAY,
      true,
    ],
    [
      "not when only its older epoch was forgotten",
      filled(hundred, 15 * DAY, filled([1], DAY)),
      16 * DAY,
      false,
    ],
  ];
  test.each(rows)("%s", (_sentence, memory, now, young) => {
    expect(recall(memory, now).young).toBe(young);
  });
});

test("within one epoch the memory equals sorting all gaps", () => {
  const gaps = fc.array(fc.double({ min: 0, max: 14 * DAY, noNaN: true }), { maxLength: 50 });
  fc.assert(
    fc.property(gaps, (all) => {
      const sorted = all.toSorted((a, b) => b - a);
      const { longest, fourth, gaps: seen } = recall(filled(all, DAY), DAY);
      expect([longest, fourth, seen]).toEqual([sorted[0] ?? 0, sorted[3] ?? 0, all.length]);
    }),
  );
});
