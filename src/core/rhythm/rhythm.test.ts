import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recall } from "./memory.ts";
import { activity, type GapContext, interrupt, type Rhythm, type RhythmActivity } from "./rhythm.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

function live(facts: readonly RhythmActivity[]): Rhythm | null {
  return facts.reduce<Rhythm | null>(activity, null);
}

function longest(rhythm: Rhythm | null, context: GapContext): number {
  return rhythm === null ? 0 : recall(rhythm.memory[context], rhythm.last).longest;
}

const context = fc.constantFrom<RhythmActivity["context"]>("model", "tool", "unknown", "idle");
const fact = fc.record({
  at: fc.double({ min: 0, max: 90 * DAY, noNaN: true }),
  context,
  announced: fc.double({ min: -DAY, max: 20 * DAY }),
});
const history = fc.array(fact, { minLength: 1, maxLength: 60 });

describe("what a rhythm learns from activity", () => {
  const rows: [sentence: string, facts: RhythmActivity[], context: GapContext, gap: number][] = [
    [
      "a gap belongs to what the agent was doing before it",
      [
        { at: 0, context: "tool" },
        { at: 5 * MINUTE, context: "model" },
      ],
      "tool",
      5 * MINUTE,
    ],
    [
      "a gap does not belong to what the agent did after it",
      [
        { at: 0, context: "tool" },
        { at: 5 * MINUTE, context: "model" },
      ],
      "model",
      0,
    ],
    [
      "an announced wait is not part of the gap",
      [
        { at: 0, context: "model", announced: 60 * MINUTE },
        { at: 61 * MINUTE, context: "tool" },
      ],
      "model",
      MINUTE,
    ],
    [
      "an agent that is back before the announced end leaves no negative gap",
      [
        { at: 0, context: "model", announced: 60 * MINUTE },
        { at: 20 * MINUTE, context: "tool" },
      ],
      "model",
      0,
    ],
    [
      "an announced wait ends with the next activity",
      [
        { at: 0, context: "model", announced: 60 * MINUTE },
        { at: MINUTE, context: "model" },
        { at: 31 * MINUTE, context: "model" },
      ],
      "model",
      30 * MINUTE,
    ],
    [
      "a reset time of next year is not believed beyond eight days",
      [
        { at: 0, context: "model", announced: 365 * DAY },
        { at: 9 * DAY, context: "tool" },
      ],
      "model",
      DAY,
    ],
    [
      "the silence of an idle agent is not learnt",
      [
        { at: 0, context: "idle" },
        { at: 9 * 60 * MINUTE, context: "model" },
      ],
      "unknown",
      0,
    ],
    [
      "an activity that arrives late makes no gap, and the next gap is counted from the newest",
      [
        { at: 10 * MINUTE, context: "tool" },
        { at: 2 * MINUTE, context: "model" },
        { at: 13 * MINUTE, context: "model" },
      ],
      "tool",
      3 * MINUTE,
    ],
    [
      "at one instant busy beats idle",
      [
        { at: 0, context: "model" },
        { at: 0, context: "idle" },
        { at: MINUTE, context: "idle" },
      ],
      "model",
      MINUTE,
    ],
  ];
  test.each(rows)("%s", (_sentence, facts, of, gap) => {
    expect(longest(live(facts), of)).toBe(gap);
  });

  test("the silence between a death and the next incarnation is not learnt", () => {
    const died = activity(null, { at: 0, context: "tool", announced: MINUTE });
    const reborn = activity(interrupt(died), { at: 3 * 60 * MINUTE, context: "model" });
    expect(longest(reborn, "tool")).toBe(0);
    expect(reborn).toMatchObject({ last: 3 * 60 * MINUTE, context: "model" });
  });
});

describe("for every history", () => {
  test("a rhythm stays small", () => {
    fc.assert(
      fc.property(fc.array(fact, { minLength: 200, maxLength: 600 }), (facts) => {
        expect(JSON.stringify(live(facts.toSorted((a, b) => a.at - b.at))).length).toBeLessThan(1200);
      }),
      { numRuns: 30 },
    );
  });

  test("a rhythm that was stored and read back goes on as if it had not been", () => {
    fc.assert(
      fc.property(history, history, (before, after) => {
        const kept = live(before);
        const restored = JSON.parse(JSON.stringify(kept)) as Rhythm;
        expect(restored).toEqual(kept);
        expect(after.reduce<Rhythm | null>(activity, restored)).toEqual(after.reduce(activity, kept));
      }),
    );
  });

  test("facts of one instant may come in any order and any number", () => {
    const crowd = fc
      .array(fc.record({ context, announced: fc.double({ min: 0, max: DAY, noNaN: true }) }), {
        minLength: 1,
      })
      .chain((facts) =>
        fc.tuple(fc.constant(facts), fc.shuffledSubarray([...facts, ...facts], { minLength: 0 })),
      );
    fc.assert(
      fc.property(history, crowd, (before, [facts, again]) => {
        const at = 91 * DAY;
        const stamp = (bare: { context: RhythmActivity["context"]; announced: number }) => ({ ...bare, at });
        const once = live([...before, ...facts.map(stamp)]);
        expect(live([...before, ...again.map(stamp), ...facts.toReversed().map(stamp)])).toEqual(once);
      }),
    );
  });

  test("time that goes backwards changes nothing and no gap is negative", () => {
    fc.assert(
      fc.property(history, (facts) => {
        let rhythm: Rhythm | null = null;
        for (const next of facts) {
          const before: Rhythm | null = rhythm;
          rhythm = activity(before, next);
          if (before !== null && next.at < before.last) expect(rhythm).toBe(before);
          for (const { current, previous } of Object.values(rhythm.memory)) {
            for (const gap of [...current.gaps, ...previous.gaps]) expect(gap).toBeGreaterThanOrEqual(0);
          }
        }
      }),
    );
  });
});
