import { expect, it } from "vitest";
import { parseActiveHours } from "./active-hours.ts";
import { type Weekday, windowEnd } from "./window.ts";

const window = (hours: string, days: readonly Weekday[], timezone = "UTC") => {
  const read = parseActiveHours(hours, timezone);
  if (read === undefined) throw new Error(hours);
  return { ...read, days };
};

// 2026-03-02 is a Monday.
it.each([
  ["in it", window("02:00-04:00", ["mon"]), "2026-03-02T03:10:00Z", "2026-03-02T04:00:00Z"],
  ["before it", window("02:00-04:00", ["mon"]), "2026-03-02T01:59:00Z", undefined],
  ["on another day", window("02:00-04:00", ["tue"]), "2026-03-02T03:10:00Z", undefined],
  ["over midnight", window("23:00-01:00", ["sun"]), "2026-03-02T00:30:00Z", "2026-03-02T01:00:00Z"],
  ["over midnight of another day", window("23:00-01:00", ["mon"]), "2026-03-02T00:30:00Z", undefined],
  [
    "in another zone",
    window("02:00-04:00", ["mon"], "Asia/Tokyo"),
    "2026-03-01T18:00:00Z",
    "2026-03-01T19:00:00Z",
  ],
  [
    "while clocks go forward",
    window("01:00-04:00", ["sun"], "Europe/Berlin"),
    "2026-03-29T00:30:00Z",
    "2026-03-29T02:00:00Z",
  ],
])("an instant %s", (_, of, at, end) => {
  expect(windowEnd(of, Date.parse(at))).toBe(end === undefined ? undefined : Date.parse(end));
});
