import { describe, expect, it } from "vitest";
import type { Strip } from "../api/strips.ts";
import { sayUptime, uptimeClass, uptimeOf } from "./uptime.ts";

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
});
