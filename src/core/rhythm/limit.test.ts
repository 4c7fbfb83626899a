import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CEILING, FLOOR, limit, type RhythmLimit, type Terms } from "./limit.ts";
import { MARGIN } from "./margin.ts";
import { priorOf } from "./prior.ts";
import { activity, type GapContext, type Rhythm, type RhythmActivity } from "./rhythm.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An agent that has shown these gaps in one context, and does the same at the end. */
function shown(context: GapContext, gaps: readonly number[], announced = 0): Rhythm {
  let rhythm = activity(null, { at: 0, context });
  for (const gap of gaps) rhythm = activity(rhythm, { at: rhythm.last + gap, context });
  return announced > 0 ? activity(rhythm, { at: rhythm.last, context, announced }) : rhythm;
}

/** Ten seconds each, a hundred and more of them, after the gaps that matter. */
function grown(context: GapContext, gaps: readonly number[], announced = 0): Rhythm {
  return shown(context, [...gaps, ...Array.from({ length: 100 }, () => 10 * SECOND)], announced);
}

const old: Terms = { now: 10 * DAY, margin: 2 };
const young: Terms = { now: 2 * DAY, margin: 2 };
const varied = [60, 40, 30, 20].map((minutes) => minutes * MINUTE);
const timedOut = [600, 604, 601, 600].map((seconds) => seconds * SECOND);

describe("which limit applies", () => {
  const rows: [
    sentence: string,
    rhythm: Rhythm,
    terms: Terms,
    ms: number,
    from: RhythmLimit["from"],
    gaps: number,
  ][] = [
    ["a new agent's model may be silent for 15 min", shown("model", []), young, 15 * MINUTE, "prior", 0],
    ["a new agent's tool may be silent for an hour", shown("tool", []), young, HOUR, "prior", 0],
    ["45 min where the context is not known", shown("unknown", []), young, 45 * MINUTE, "prior", 0],
    [
      "an old agent has the margin over its fourth longest gap",
      grown("tool", varied),
      old,
      40 * MINUTE,
      "learnt",
      104,
    ],
    [
      "a young agent has the margin over its longest gap",
      grown("tool", varied),
      young,
      2 * HOUR,
      "learnt",
      104,
    ],
    [
      "gaps that a time-out cut off need a tenth more",
      grown("tool", timedOut),
      old,
      1.1 * (604 * SECOND),
      "learnt",
      104,
    ],
    [
      "a young agent keeps its prior, though it was quick",
      grown("tool", timedOut),
      young,
      HOUR,
      "prior",
      104,
    ],
    ["few gaps are no knowledge, however old", shown("tool", timedOut), old, HOUR, "prior", 4],
    ["a quick agent has the floor", grown("model", []), old, FLOOR, "floor", 100],
    [
      "a slow agent has the ceiling",
      grown(
        "tool",
        [4, 3, 3, 3].map((h) => h * HOUR),
      ),
      old,
      CEILING,
      "ceiling",
      104,
    ],
    ["an announced wait comes on top", grown("model", [], 3 * HOUR), old, FLOOR + 3 * HOUR, "floor", 100],
    [
      "what was forgotten is borrowed again",
      grown("tool", varied),
      { ...old, now: 60 * DAY },
      HOUR,
      "prior",
      0,
    ],
    ["stall: 45m fixes it", grown("tool", varied), { ...old, stall: 45 * MINUTE }, 45 * MINUTE, "fixed", 104],
    [
      "a fixed limit may be below the floor",
      grown("tool", []),
      { ...old, stall: MINUTE },
      MINUTE,
      "fixed",
      100,
    ],
    [
      "an announced wait comes on top of a fixed limit too",
      grown("tool", [], HOUR),
      { ...old, stall: MINUTE },
      HOUR + MINUTE,
      "fixed",
      100,
    ],
  ];
  test.each(rows)("%s", (_sentence, rhythm, terms, ms, from, gaps) => {
    expect(limit(rhythm, terms)).toEqual({ ms, announced: rhythm.announced, from, gaps });
  });

  test("an idle agent has no limit, fixed or not", () => {
    const idle = activity(null, { at: 0, context: "idle" });
    expect(limit(idle, old)).toBeNull();
    expect(limit(idle, { ...old, stall: MINUTE })).toBeNull();
  });
});

describe("what a young agent borrows from its role", () => {
  const role = [10, 20, 90].map((minutes) =>
    grown(
      "tool",
      [4, 3, 2, 1].map((n) => n * minutes * MINUTE),
    ),
  );
  test("the median of its elders' limits", () => {
    expect(priorOf(role, 10 * DAY, 2).tool).toBe(40 * MINUTE);
  });
  test("the default where no elder has been in the context", () => {
    expect(priorOf(role, 10 * DAY, 2).model).toBe(15 * MINUTE);
  });
  test("nothing from agents that are young themselves", () => {
    expect(priorOf(role, 2 * DAY, 2)).toEqual({ model: 15 * MINUTE, tool: HOUR, unknown: 45 * MINUTE });
  });
  test("and it is used as the limit itself, without a second margin", () => {
    const prior = priorOf(role, 10 * DAY, 2);
    expect(limit(shown("tool", []), { ...young, prior })).toMatchObject({ ms: 40 * MINUTE, from: "prior" });
  });
});

test("every limit that is not fixed lies between floor and ceiling, plus the announced wait", () => {
  const fact = fc.record({
    at: fc.double({ min: 0, max: 90 * DAY, noNaN: true }),
    context: fc.constantFrom<RhythmActivity["context"]>("model", "tool", "unknown", "idle"),
    announced: fc.double({ min: -DAY, max: 20 * DAY }),
  });
  const margins = fc.double({ min: MARGIN.least, max: MARGIN.most, noNaN: true });
  const nows = fc.double({ min: 0, max: 120 * DAY, noNaN: true });
  fc.assert(
    fc.property(fc.array(fact, { minLength: 1, maxLength: 150 }), margins, nows, (facts, margin, now) => {
      const rhythm = facts.reduce<Rhythm | null>(activity, null);
      const allowed = rhythm === null ? null : limit(rhythm, { now, margin });
      if (allowed === null) return;
      expect(allowed.ms).toBeGreaterThanOrEqual(FLOOR + allowed.announced);
      expect(allowed.ms).toBeLessThanOrEqual(CEILING + allowed.announced);
    }),
  );
});
