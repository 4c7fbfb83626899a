import { describe, expect, it } from "vitest";
import { MARGIN } from "./margin.ts";
import { dayIsOver, newNorm, steered, withFalseAlarm } from "./norm.ts";
import { DEFAULT_PRIOR } from "./prior.ts";
import { activity, type Rhythm } from "./rhythm.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const T = 20_000 * DAY;

/** An agent whose tools have taken so long, a few times a day, for ten days. */
function elder(gap: number): Rhythm {
  let rhythm: Rhythm | null = null;
  for (let day = 0; day < 10; day++) {
    for (let n = 0; n < 20; n++) rhythm = activity(rhythm, { at: T + day * DAY + n * gap, context: "tool" });
    rhythm = activity(rhythm, { at: T + day * DAY + 20 * gap, context: "idle" });
  }
  return rhythm as Rhythm;
}

describe("the norm of a group", () => {
  it("begins with the margin and the limits that nobody has taught it", () => {
    expect(newNorm("painters", T)).toMatchObject({
      margin: MARGIN.start,
      prior: DEFAULT_PRIOR,
      falseAlarms: 0,
    });
  });

  it("is steered when its day is over, also after the clock was set back", () => {
    const norm = newNorm("painters", T);
    expect([T + DAY - 1, T + DAY, T - DAY - 1].map((now) => dayIsOver(norm, now))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("grows with false alarms, shrinks without, and begins to count anew", () => {
    const norm = newNorm("painters", T);
    const alarmed = steered(withFalseAlarm(withFalseAlarm(norm)), [elder(MINUTE)], T + DAY);
    expect(alarmed.margin).toBeGreaterThan(MARGIN.start);
    expect(alarmed).toMatchObject({ falseAlarms: 0, since: T + DAY });
    expect(steered(norm, [elder(MINUTE)], T + DAY).margin).toBeLessThan(MARGIN.start);
  });

  it("gives the young the median of what the elders are allowed", () => {
    const now = T + 10 * DAY;
    const { prior, margin } = steered(
      newNorm("painters", now - DAY),
      [elder(4 * MINUTE), elder(5 * MINUTE), elder(6 * MINUTE)],
      now,
    );
    expect(prior.tool).toBeGreaterThan(5 * MINUTE);
    expect(prior.tool).toBeLessThanOrEqual(5 * MINUTE * margin + 1);
    // Nobody has shown how long its model thinks.
    expect(prior.model).toBe(DEFAULT_PRIOR.model);
  });
});
