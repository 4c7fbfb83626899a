import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  daysOverdue,
  dueBy,
  firstInstant,
  isDue,
  monthOf,
  monthToCheck,
  nextMonth,
  parseMonth,
  previousMonth,
} from "./period.ts";

const at = (text: string): number => Date.parse(text);

describe("a month", () => {
  it.each(["2026-01", "2026-12", "1970-01", "9999-12"])("is read: %s", (text) => {
    expect(parseMonth(text)).toBe(text);
  });

  it.each([
    "2026-00",
    "2026-13",
    "2026-1",
    "26-01",
    "2026-01-01",
    " 2026-01",
    "2026-01\n",
    "0001-01",
    "../x",
  ])("is refused: %j", (text) => {
    expect(parseMonth(text)).toBeUndefined();
  });

  it.each([
    ["2026-01", "2025-12", "2026-02"],
    ["2026-12", "2026-11", "2027-01"],
    ["2024-02", "2024-01", "2024-03"],
    ["2026-02", "2026-01", "2026-03"],
    ["2026-07", "2026-06", "2026-08"],
  ])("%s comes after %s and before %s", (month, before, after) => {
    expect(previousMonth(month)).toBe(before);
    expect(nextMonth(month)).toBe(after);
  });

  it.each([
    ["2026-01-01T00:00:00.000Z", "2026-01"],
    ["2025-12-31T23:59:59.999Z", "2025-12"],
    ["2024-02-29T23:59:59Z", "2024-02"],
    ["2026-03-31T23:30:00-02:00", "2026-04"],
    ["2026-04-01T01:30:00+14:00", "2026-03"],
  ])("%s falls into %s, whatever the local time says", (text, month) => {
    expect(monthOf(at(text))).toBe(month);
  });

  it("ends where the next one begins, and holds all that is between", () => {
    const months = fc.tuple(fc.integer({ min: 1970, max: 9998 }), fc.integer({ min: 1, max: 12 }));
    fc.assert(
      fc.property(months, ([year, number]) => {
        const month = `${year}-${String(number).padStart(2, "0")}`;
        const end = firstInstant(nextMonth(month));
        expect(monthOf(firstInstant(month))).toBe(month);
        expect(monthOf(end - 1)).toBe(month);
        expect(monthOf(end)).toBe(nextMonth(month));
        expect(previousMonth(nextMonth(month))).toBe(month);
      }),
    );
  });
});

describe("D3: the month to check", () => {
  it.each([
    ["on the 1st at midnight", "2026-04-01T00:00:00Z", "2026-03"],
    ["on the 1st", "2026-04-01T12:00:00Z", "2026-03"],
    ["on the 2nd", "2026-04-02T12:00:00Z", "2026-03"],
    ["on the 3rd in its last second", "2026-04-03T23:59:59.999Z", "2026-03"],
    ["on the 4th at midnight", "2026-04-04T00:00:00Z", "2026-04"],
    ["on the 5th", "2026-04-05T12:00:00Z", "2026-04"],
    ["on the last day", "2026-04-30T23:59:59Z", "2026-04"],
    ["in January it goes back to December", "2026-01-02T12:00:00Z", "2025-12"],
    ["on 4 January", "2026-01-04T00:00:00Z", "2026-01"],
    ["in the first days of March it is a leap February", "2024-03-03T23:59:59Z", "2024-02"],
    ["on 29 February", "2024-02-29T00:00:00Z", "2024-02"],
    ["on the 3rd in Honolulu it is the 4th in UTC", "2026-04-03T18:00:00-10:00", "2026-04"],
    ["on the 4th on Kiritimati it is still the 3rd in UTC", "2026-04-04T13:59:59+14:00", "2026-03"],
  ])("%s", (_, now, month) => {
    expect(monthToCheck(at(now))).toBe(month);
  });

  it("has always been due for less than a month and some days", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: at("2100-01-01T00:00:00Z") }), (now) => {
        fc.pre(now >= dueBy("1970-01"));
        const month = monthToCheck(now);
        expect(isDue(month, now)).toBe(true);
        expect(isDue(nextMonth(month), now)).toBe(false);
      }),
    );
  });
});

describe("days overdue", () => {
  it.each([
    ["2026-04", "2026-04-03T23:59:59.999Z", 0],
    ["2026-04", "2026-04-04T00:00:00Z", 1],
    ["2026-04", "2026-04-04T23:59:59Z", 1],
    ["2026-04", "2026-04-05T00:00:00Z", 2],
    ["2026-03", "2026-04-02T12:00:00Z", 30],
    ["2025-12", "2026-01-01T00:00:00Z", 29],
    ["2024-02", "2024-03-01T00:00:00Z", 27],
    ["2023-02", "2023-03-01T00:00:00Z", 26],
    ["2025-04", "2026-04-04T00:00:00Z", 366],
    ["2026-05", "2026-04-04T00:00:00Z", 0],
  ])("of %s at %s are %d", (month, now, days) => {
    expect(daysOverdue(month, at(now))).toBe(days);
  });
});

describe("the local time zone changes nothing", () => {
  const before = process.env.TZ;
  afterEach(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });

  it.each(["Pacific/Kiritimati", "Pacific/Honolulu", "Asia/Kolkata", "Europe/Berlin", "UTC"])(
    "%s",
    (zone) => {
      process.env.TZ = zone;
      expect(new Date(at("2026-04-01T00:00:00Z")).getHours() === 0).toBe(zone === "UTC");
      expect(monthOf(at("2026-03-31T23:59:59Z"))).toBe("2026-03");
      expect(monthOf(at("2026-04-01T00:00:00Z"))).toBe("2026-04");
      expect(monthToCheck(at("2026-04-03T23:59:59Z"))).toBe("2026-03");
      expect(monthToCheck(at("2026-04-04T00:00:00Z"))).toBe("2026-04");
      expect(daysOverdue("2026-03", at("2026-03-31T23:59:59Z"))).toBe(28);
      expect(daysOverdue("2026-03", at("2026-04-01T00:00:00Z"))).toBe(29);
      expect(firstInstant(nextMonth("2026-12"))).toBe(at("2027-01-01T00:00:00Z"));
    },
  );
});
