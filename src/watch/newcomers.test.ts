import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { Newcomers } from "./newcomers.ts";

function newcomers(limits: { max: number; perMinute: number }) {
  const world = { now: 0, told: [] as string[] };
  const bounded = new Newcomers(() => world.now);
  bounded.limits = limits;
  bounded.onCrowded((why) => world.told.push(why));
  return { world, bounded };
}

describe("agents that register themselves without proof", () => {
  it("join up to the number of a minute, and again when the minute of the first ones is over", () => {
    const { world, bounded } = newcomers({ max: 1000, perMinute: 3 });
    expect(bounded.refusal(2, 0)).toBeUndefined();
    world.now = 10 * SECOND;
    expect(bounded.refusal(1, 2)).toBeUndefined();
    world.now = 20 * SECOND;
    expect(bounded.refusal(1, 3)).toMatchObject({
      why: expect.stringContaining("more than 3 agents a minute"),
      retryAfter: 40 * SECOND,
    });
    expect(bounded.refusal(3, 3)).toMatchObject({ retryAfter: 50 * SECOND });
    // More at once than ever may: a minute is no worse an answer than any other.
    expect(bounded.refusal(4, 3)).toMatchObject({ retryAfter: MINUTE });
    world.now = MINUTE;
    expect(bounded.refusal(2, 3)).toBeUndefined();
    expect(bounded.refusal(1, 5)).toMatchObject({ retryAfter: 10 * SECOND });
  });

  it("are refused, all of a request, once the roll has as many of them as it may", () => {
    const { bounded } = newcomers({ max: 5, perMinute: 60 });
    expect(bounded.refusal(2, 4)).toMatchObject({
      why: expect.stringContaining("autoRegister.max is 5"),
      retryAfter: HOUR,
    });
    expect(bounded.refusal(1, 4)).toBeUndefined();
  });

  it("are news once, and again after a day without a refusal", () => {
    const { world, bounded } = newcomers({ max: 0, perMinute: 60 });
    for (const at of [0, HOUR, DAY - 1, 2 * DAY - 2]) {
      world.now = at;
      expect(bounded.refusal(1, 0)).toBeDefined();
    }
    expect(world.told).toHaveLength(1);
    world.now = 3 * DAY - 2;
    bounded.refusal(1, 0);
    expect(world.told).toHaveLength(2);
  });
});
