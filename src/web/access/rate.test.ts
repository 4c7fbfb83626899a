import { describe, expect, it } from "vitest";
import { Rate } from "./rate.ts";

describe("the rate of requests", () => {
  it("lets a burst pass, then says how long to wait, and lets it pass after that", () => {
    let now = 1_000;
    const rate = new Rate({ burst: 2, perSecond: 4 }, () => now);
    expect([rate.take("a"), rate.take("a")]).toEqual([undefined, undefined]);
    expect(rate.take("a")).toBe(250);
    expect(rate.take("b")).toBeUndefined();
    now += 250;
    expect(rate.take("a")).toBeUndefined();
  });

  it("gives nothing for a clock that was set back", () => {
    let now = 10_000;
    const rate = new Rate({ burst: 1, perSecond: 1 }, () => now);
    rate.take("a");
    now = 0;
    expect(rate.take("a")).toBe(1000);
  });

  it("forgets the longest silent sender, not the busiest", () => {
    const rate = new Rate({ burst: 1, perSecond: 1 }, () => 0);
    rate.take("busy");
    for (let i = 0; i < 9_999; i++) rate.take(`other-${i}`);
    rate.take("busy");
    for (let i = 0; i < 9_000; i++) rate.take(`more-${i}`);
    expect(rate.take("busy")).toBe(1000);
  });
});
