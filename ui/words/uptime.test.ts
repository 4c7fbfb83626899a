import { describe, expect, it } from "vitest";
import type { Strip } from "../api/strips.ts";
import { sayUptime, uptimeClass, uptimeOf, uptimesOf } from "./uptime.ts";

describe("uptime", () => {
  it.each<[number | null, string, string]>([
    [null, "–", "up-none"],
    [10_000, "100%", "up-well"],
    [9999, "99.9%", "up-well"],
    [9899, "98.9%", "up-less"],
    [9000, "90.0%", "up-bad"],
    [1234, "12%", "up-bad"],
  ])("of %s is said as %s", (parts, words, name) => {
    expect(sayUptime(parts)).toBe(words);
    expect(uptimeClass(parts)).toBe(name);
  });

  it("of a strip leaves out what was not judged", () => {
    const strip: Strip = [
      [0, "unknown"],
      [50, "alive"],
      [75, "dead"],
    ];
    expect(uptimeOf(strip, 0, 100)).toBe(5000);
    expect(uptimeOf(strip, 0, 50)).toBeNull();
    expect(uptimeOf([[0, "alive"]], 0, 100)).toBe(10_000);
  });

  it("of an agent that is younger than a day is the same for all ranges", () => {
    const now = 100 * 86_400_000;
    const young: Strip = [
      [now - 60_000, "alive"],
      [now - 30_000, "dead"],
    ];
    expect(uptimesOf(young, [9999, null, null], now)).toEqual([5000, 5000, 5000, 5000]);
    const old: Strip = [[now - 86_400_000, "alive"]];
    expect(uptimesOf(old, [9999, 9000, null], now)).toEqual([10_000, 9999, 9000, null]);
  });
});
