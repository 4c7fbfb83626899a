import { describe, expect, it } from "vitest";
import { isActive, parseActiveHours } from "./active-hours.ts";

describe("active hours", () => {
  it.each([
    ["08:00-18:00", "UTC", "2026-01-05T07:59:59Z", false, "before they begin"],
    ["08:00-18:00", "UTC", "2026-01-05T08:00:00Z", true, "with their first minute"],
    ["08:00-18:00", "UTC", "2026-01-05T17:59:59Z", true, "until their end"],
    ["08:00-18:00", "UTC", "2026-01-05T18:00:00Z", false, "not at their end"],
    ["22:00-06:00", "UTC", "2026-01-05T23:30:00Z", true, "before the midnight that they wrap"],
    ["22:00-06:00", "UTC", "2026-01-05T00:00:00Z", true, "at the midnight that they wrap"],
    ["22:00-06:00", "UTC", "2026-01-05T05:59:00Z", true, "after the midnight that they wrap"],
    ["22:00-06:00", "UTC", "2026-01-05T06:00:00Z", false, "not at their end in the morning"],
    ["22:00-06:00", "UTC", "2026-01-05T12:00:00Z", false, "not at noon"],
    ["18:00-24:00", "UTC", "2026-01-05T23:59:00Z", true, "until the end of the day"],
    ["18:00-24:00", "UTC", "2026-01-05T00:00:00Z", false, "not at the midnight after it"],
    ["9:00-17:00", "Asia/Kathmandu", "2026-01-05T03:15:00Z", true, "in the zone, with its odd minutes"],
    ["9:00-17:00", "Asia/Kathmandu", "2026-01-05T03:14:00Z", false, "in the zone, not a minute earlier"],
    [
      "02:00-03:00",
      "Europe/Berlin",
      "2026-03-29T01:00:00Z",
      false,
      "not at all on a day that leaves them out",
    ],
    ["02:00-03:00", "Europe/Berlin", "2026-10-25T00:30:00Z", true, "in the first of two equal hours"],
    ["02:00-03:00", "Europe/Berlin", "2026-10-25T01:30:00Z", true, "in the second of two equal hours"],
  ])("%s in %s at %s: %s, %s", (text, timezone, at, active) => {
    const hours = parseActiveHours(text, timezone);
    expect(hours && isActive(hours, Date.parse(at))).toBe(active);
  });

  it.each(["", "8-18", "08:00", "25:00-26:00", "08:60-09:00", "08:00-08:00", "24:00-06:00", "08:00-24:01"])(
    "%j is none",
    (text) => {
      expect(parseActiveHours(text, "UTC")).toBeUndefined();
    },
  );
});
