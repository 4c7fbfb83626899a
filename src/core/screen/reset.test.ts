import { describe, expect, it } from "vitest";
import { resetAt } from "./reset.ts";

const now = Date.parse("2025-03-10T18:30:00Z");
const at = (text: string, zone = "UTC", from = now) => {
  const found = resetAt(text, from, zone);
  return found === undefined ? undefined : new Date(found).toISOString();
};

describe("when a limit ends", () => {
  const rows: [string, string, string?][] = [
    ["You've hit your session limit · resets 9:15pm (UTC)", "2025-03-10T21:15:00.000Z"],
    ["try again at 8:58 PM.", "2025-03-10T20:58:00.000Z"],
    ["5-hour limit reached ∙ resets 3am", "2025-03-11T03:00:00.000Z"],
    ["resets 10:30am (Europe/Berlin)", "2025-03-11T09:30:00.000Z"],
    ["try again at 8:58 PM.", "2025-03-11T00:58:00.000Z", "America/New_York"],
    ["API error · Retrying in 8s · attempt 1/10", "2025-03-10T18:30:08.000Z"],
    ["Retrying in 0.2 seconds...", "2025-03-10T18:30:00.200Z"],
    ["Limit reached, resets in 2h 5m", "2025-03-10T20:35:00.000Z"],
    ["Please try again in 1 day, 2 hours and 3 minutes", "2025-03-11T20:33:00.000Z"],
    ["retry-after: 30", "2025-03-10T18:30:30.000Z"],
    ["Weekly limit reached · resets Mar 14, 9am", "2025-03-14T09:00:00.000Z"],
    ["weekly limit · resets Thursday at 9am (UTC)", "2025-03-13T09:00:00.000Z"],
    ["resets Monday 9am (UTC)", "2025-03-17T09:00:00.000Z"],
    ["usage limit reached|1749924000", "2025-06-14T18:00:00.000Z"],
    ["Access resets at 2025-03-11T00:00:00Z", "2025-03-11T00:00:00.000Z"],
    ["[retrying in 12s attempt #5]", "2025-03-10T18:30:12.000Z"],
  ];
  it.each(rows)("%s", (text, expected, zone) => expect(at(text, zone)).toBe(expected));

  it("is not known where the text does not say", () => {
    expect(at("You've hit your usage limit.")).toBeUndefined();
    expect(at("The suite has 16 cases")).toBeUndefined();
  });

  it("is the next such time of day when daylight saving begins in between", () => {
    const eve = Date.parse("2025-03-29T22:00:00Z");
    expect(at("resets 7am", "Europe/Berlin", eve)).toBe("2025-03-30T05:00:00.000Z");
  });

  it("is the next such time of day when daylight saving ends in between", () => {
    const eve = Date.parse("2025-10-25T20:00:00Z");
    expect(at("resets 7am", "Europe/Berlin", eve)).toBe("2025-10-26T06:00:00.000Z");
  });
});
