import { describe, expect, it } from "vitest";
import type { BeatView } from "../api/shapes.ts";
import { gapsOf, limitOf } from "./gap-data.ts";

const beat = (at: number) => ({ receivedAt: new Date(at).toISOString() }) as BeatView;

describe("gaps", () => {
  it("are between beats in the order of time, however they come", () => {
    expect(gapsOf([beat(9000), beat(1000), beat(4000)])).toEqual([
      [4000, 3000],
      [9000, 5000],
    ]);
  });
  it("need two beats", () => expect(gapsOf([beat(1)])).toEqual([]));
});

describe("the limit of a promise", () => {
  it("is its pace and its grace", () => expect(limitOf({ every: "1h30m", grace: "5m" })).toBe(95 * 60_000));
  it("does not exist without a pace", () => {
    expect(limitOf(null)).toBeUndefined();
    expect(limitOf({ schedule: "0 2 * * *", timezone: "UTC", grace: "5m" })).toBeUndefined();
  });
});
