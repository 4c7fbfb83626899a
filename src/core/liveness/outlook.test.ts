import { describe, expect, it } from "vitest";
import { DEFAULT_RULE, type Rule } from "../agent.ts";
import { HOUR, iso, MINUTE, SECOND } from "../duration.ts";
import { blind, m } from "./case.fixture.ts";
import { at, outlook } from "./outlook.ts";
import type { BlindSpan } from "./trust.ts";

/** Stretches as sentences: `fresh 0, late 15, dead 20`, in minutes after the stamp. */
function say(rule: Rule, spans: readonly BlindSpan[], stamp = m(0)): string {
  return outlook(rule, stamp, { blind: spans })
    .map(({ from, says }) => `${says} ${(from - stamp) / MINUTE}`)
    .join(", ");
}

describe("the outlook of a pace, every 15 min with 5 min of grace", () => {
  it.each<[string, BlindSpan[], string]>([
    ["watched all the time: late, then dead", [], "fresh 0, late 15, dead 20"],
    ["a lag before it is due moves everything out", [blind(5, 6, "lag")], "fresh 0, late 16, dead 21"],
    ["a lag while it is late moves only its death", [blind(16, 17, "lag")], "fresh 0, late 15, dead 21"],
    ["a lag across its due time moves everything", [blind(14, 17, "lag")], "fresh 0, late 18, dead 23"],
    [
      "a lag that began before the stamp counts from the stamp",
      [blind(-2, 1, "lag")],
      "fresh 0, late 16, dead 21",
    ],
    ["two that overlap count once", [blind(5, 6), blind(5, 5.5, "lag")], "fresh 0, late 16, dead 21"],
    [
      "short ones that touch are one long one",
      [blind(5, 6), blind(6, 7, "store"), blind(7, 8, "store")],
      "fresh 0, late 15, excused 20, dead 28",
    ],
    [
      "short ones with a moment between them stay lags",
      [blind(5, 6), blind(6.1, 7, "store"), blind(7.1, 8, "store")],
      "fresh 0, late 17.8, dead 22.8",
    ],
    ["two lags add up", [blind(1, 2, "lag"), blind(3, 5, "lag")], "fresh 0, late 18, dead 23"],
    ["an outage before the stamp changes nothing", [blind(-9, -1)], "fresh 0, late 15, dead 20"],
    ["an outage that ends with the stamp changes nothing", [blind(-9, 0)], "fresh 0, late 15, dead 20"],
    ["an outage after its death changes nothing", [blind(21, 90)], "fresh 0, late 15, dead 20"],
    ["an outage that begins with its death changes nothing", [blind(20, 90)], "fresh 0, late 15, dead 20"],
    [
      "an outage before it is due: late by the promise, dead one whole dead-after later",
      [blind(5, 8)],
      "fresh 0, late 15, excused 20, dead 28",
    ],
    ["an outage across its due time excuses it", [blind(10, 30)], "fresh 0, excused 30, dead 50"],
    ["an outage that begins at its due time excuses it", [blind(15, 17)], "fresh 0, excused 17, dead 37"],
    [
      "an outage that ends at its due time does not",
      [blind(13, 15)],
      "fresh 0, late 15, excused 20, dead 35",
    ],
    ["an outage of a minute is a lag", [blind(14, 15)], "fresh 0, late 16, dead 21"],
    ["a suspend of a minute is a lag", [blind(14, 15, "suspend")], "fresh 0, late 16, dead 21"],
    ["a store that failed for a minute is a lag", [blind(16, 17, "store")], "fresh 0, late 15, dead 21"],
    ["a pause of a minute is none", [blind(16, 17, "paused")], "fresh 0, late 15, excused 20, dead 37"],
    [
      "short outages again and again move it by their lengths",
      [14, 29, 44, 59].map((at) => blind(at, at + 0.5)),
      "fresh 0, late 15.5, dead 20.5",
    ],
    [
      "an outage across its grace keeps it late, then excuses it",
      [blind(17, 30)],
      "fresh 0, late 15, excused 20, dead 50",
    ],
    [
      "a second outage before its own deadline gives the chance in place of the first",
      [blind(5, 10), blind(20, 60)],
      "fresh 0, late 15, excused 20, dead 80",
    ],
    [
      "a second outage after its own deadline moves the end of its chance by its length",
      [blind(10, 30), blind(40, 60)],
      "fresh 0, excused 30, dead 70",
    ],
    [
      "outages again and again give one chance",
      [14, 29, 44, 59, 74].map((at) => blind(at, at + 2)),
      "fresh 0, excused 16, dead 38",
    ],
    [
      "an outage after a pause gives a chance as after a beat",
      [blind(2, 30, "paused"), blind(45, 60)],
      "fresh 0, excused 30, dead 80",
    ],
    [
      "a pause gives a chance always",
      [blind(10, 30), blind(40, 60, "paused")],
      "fresh 0, excused 30, dead 80",
    ],
    [
      "a second outage after its death does not",
      [blind(10, 30), blind(51, 60)],
      "fresh 0, excused 30, dead 50",
    ],
    [
      "a lag after an outage moves its death",
      [blind(10, 30), blind(40, 41, "lag")],
      "fresh 0, excused 30, dead 51",
    ],
    [
      "a clock that was set back leaves a moment and a chance",
      [blind(5, 5, "step")],
      "fresh 0, late 15, excused 20, dead 25",
    ],
    ["spans need not be in order of time", [blind(40, 60), blind(10, 30)], "fresh 0, excused 30, dead 50"],
  ])("%s", (_, spans, expected) => {
    expect(say(DEFAULT_RULE, spans)).toBe(expected);
  });

  it.each(["outage", "suspend", "step", "paused"] as const)(
    "gives one whole dead-after from the end of a break: %s",
    (cause) => {
      expect(say(DEFAULT_RULE, [blind(1, 100, cause)])).toBe("fresh 0, excused 100, dead 120");
    },
  );

  it("has no late stretch where there is no grace", () => {
    expect(say({ every: 2 * SECOND, grace: 0 }, [])).toBe(`fresh 0, dead ${2 / 60}`);
  });
});

describe("the outlook of a calendar, daily at 13:00 with an hour of grace", () => {
  const daily: Rule = { schedule: "0 13 * * *", timezone: "UTC", grace: HOUR };
  const [due, tomorrow] = [60, 60 + 24 * 60];

  it.each<[string, BlindSpan[], string]>([
    ["watched all the time", [], `fresh 0, late ${due}, dead ${due + 60}`],
    [
      "a due time that nobody watched is excused until the next one",
      [blind(50, 70)],
      `fresh 0, excused 70, late ${tomorrow}, dead ${tomorrow + 60}`,
    ],
    [
      "a break before the due time changes nothing",
      [blind(10, 50)],
      `fresh 0, late ${due}, dead ${due + 60}`,
    ],
    [
      "a break in the grace gives one whole grace more",
      [blind(70, 90)],
      `fresh 0, late ${due}, excused ${due + 60}, dead 150`,
    ],
    [
      "two due times that nobody watched are both excused",
      [blind(50, 70), blind(tomorrow - 5, tomorrow + 5)],
      `fresh 0, excused 70, late ${tomorrow + 1440}, dead ${tomorrow + 1500}`,
    ],
    [
      "a break in the grace of the next due time excuses it once more",
      [blind(50, 70), blind(tomorrow + 5, tomorrow + 10)],
      `fresh 0, excused 70, late ${tomorrow}, excused ${tomorrow + 60}, dead ${tomorrow + 70}`,
    ],
    [
      "a lag does not move the date itself out of a break",
      [blind(0, 10, "lag"), blind(60, 70)],
      `fresh 0, excused 70, late ${tomorrow}, dead ${tomorrow + 60}`,
    ],
    [
      "a break over several due times excuses them all",
      [blind(50, tomorrow + 5)],
      `fresh 0, excused ${tomorrow + 5}, late ${tomorrow + 1440}, dead ${tomorrow + 1500}`,
    ],
    [
      "a lag before the due time moves it out",
      [blind(5, 6, "lag")],
      `fresh 0, late ${due + 1}, dead ${due + 61}`,
    ],
  ])("%s", (_, spans, expected) => {
    expect(say(daily, spans)).toBe(expected);
  });

  it("waits ten minutes for a clock that was set to settle, where the grace is shorter", () => {
    const strict: Rule = { ...daily, grace: MINUTE };
    expect(say(strict, [blind(60.5, 60.6, "step")])).toBe("fresh 0, late 60, excused 61, dead 70.6");
    expect(say(strict, [blind(60.3, 60.9, "outage")])).toBe("fresh 0, late 60, excused 61, dead 61.9");
  });

  it("is moved by an outage of at most half of its grace, which excuses no date", () => {
    const strict: Rule = { ...daily, grace: MINUTE };
    expect(say(strict, [blind(59.8, 60.3)])).toBe("fresh 0, late 60.5, dead 61.5");
  });

  it("gets its grace once after breaks behind its date, and is excused from each date that was not watched", () => {
    const breaks = [70, 100, 121, 140].map((at) => blind(at, at + 2));
    expect(say(daily, breaks)).toBe("fresh 0, late 60, excused 120, dead 185");
    const nights = [50, 50 + 1440].map((at) => blind(at, at + 20));
    expect(say(daily, nights)).toBe("fresh 0, excused 70, late 2940, dead 3000");
  });

  it("never dies of a calendar that has no date", () => {
    const never: Rule = { schedule: "0 0 30 2 *", timezone: "UTC", grace: HOUR };
    expect(say(never, [])).toBe("fresh 0, dead Infinity");
    expect(say(never, [blind(5, 6)])).toBe("fresh 0, dead Infinity");
  });

  it.each([
    [
      "spring, when the hour of its date is left out",
      "2025-03-29T01:40Z",
      "2025-03-30T01:00Z",
      "2025-03-30T02:00Z",
    ],
    [
      "autumn, when the hour of its date comes twice",
      "2025-10-25T00:40Z",
      "2025-10-26T00:30Z",
      "2025-10-26T01:30Z",
    ],
  ])("is dated by the instant, not by the dial, in %s", (_, stamp, late, dead) => {
    const nightly: Rule = { schedule: "30 2 * * *", timezone: "Europe/Berlin", grace: HOUR };
    const list = outlook(nightly, Date.parse(stamp), { blind: [] });
    expect(list.map(({ from, says }) => [says, iso(from).replace(":00.000Z", "Z")])).toEqual([
      ["fresh", stamp],
      ["late", late],
      ["dead", dead],
    ]);
  });
});

describe("where an instant lies in an outlook", () => {
  const list = outlook(DEFAULT_RULE, m(0), { blind: [] });

  it.each([
    [-1, "fresh", 0],
    [0, "fresh", 15],
    [14.999, "fresh", 15],
    [15, "late", 20],
    [19.999, "late", 20],
    [20, "dead", Number.POSITIVE_INFINITY],
    [999, "dead", Number.POSITIVE_INFINITY],
  ])("minute %d is %s, until minute %d", (minute, says, next) => {
    const found = at(list, m(minute));
    expect(found.stretch.says).toBe(says);
    expect(found.next).toBe(m(next));
  });
});
