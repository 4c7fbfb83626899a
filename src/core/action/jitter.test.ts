import { describe, expect, it } from "vitest";
import { MINUTE } from "../duration.ts";
import { jitter } from "./decide.ts";

describe("jitter", () => {
  it("is the same for the same action and instant", () => {
    expect(jitter("task-scan", 1_800_000_000_000, MINUTE)).toBe(
      jitter("task-scan", 1_800_000_000_000, MINUTE),
    );
  });

  it("is none where none is asked for", () => {
    expect(jitter("task-scan", 1_800_000_000_000, 0)).toBe(0);
  });

  it.each([
    ["instants", (n: number) => jitter("task-scan", n * 5 * MINUTE, MINUTE)],
    ["actions", (n: number) => jitter(`action-${n}`, 1_800_000_000_000, MINUTE)],
  ])("spreads evenly over %s", (_, at) => {
    const tenths = new Array<number>(10).fill(0);
    for (let n = 0; n < 10_000; n++) {
      const tenth = Math.floor(at(n) / (MINUTE / 10));
      tenths[tenth] = (tenths[tenth] ?? Number.NaN) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
