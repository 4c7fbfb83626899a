import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/core/duration.ts";
import { complaints } from "./oracle.ts";
import { World } from "./world.ts";

/** A list that is too long says no more than its begin. */
const begin = (list: readonly string[]) => list.slice(0, 5);

describe("whatever happens to the clock and to the process", () => {
  const month = {
    actions: 40,
    length: 30 * DAY,
    calm: 12 * HOUR,
    paces: [10 * MINUTE, HOUR, 5 * HOUR, DAY],
    calendars: 0.3,
  };
  it.each([3])(
    "each instant of a rough month runs once or has a reason, seed %d",
    async (seed) => {
      const world = new World(seed, month);
      await world.live();
      expect(begin(complaints(world))).toEqual([]);
    },
    120_000,
  );

  const year = {
    actions: 300,
    length: 365 * DAY,
    calm: 8 * DAY,
    paces: [5 * DAY, 7 * DAY, 30 * DAY],
    calendars: 0.03,
  };
  it("each instant of a year of three hundred actions runs once or has a reason", async () => {
    const world = new World(2026, year);
    await world.live();
    expect(begin(complaints(world))).toEqual([]);
    const runs = world.subjects.reduce((sum, { executions }) => sum + executions.length, 0);
    expect(runs).toBeGreaterThan(6_000);
  }, 300_000);
});
