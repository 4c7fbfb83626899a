import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, HOUR, iso, MINUTE } from "../duration.ts";
import { cronProblem, nextDue } from "./cron.ts";

function dates(expression: string, timezone: string, after: string, count: number): string[] {
  const list: string[] = [];
  let at = Date.parse(after);
  while (list.length < count) {
    const next = nextDue(expression, timezone, at);
    if (next === undefined) break;
    list.push(iso(next).replace(":00.000Z", "Z"));
    at = next;
  }
  return list;
}

describe("nextDue", () => {
  it.each([
    {
      name: "at the end of the hour that New York leaves out in spring",
      ask: ["30 2 * * *", "America/New_York", "2025-03-08T00:00Z"],
      due: ["2025-03-08T07:30Z", "2025-03-09T07:00Z", "2025-03-10T06:30Z"],
    },
    {
      name: "once in the hour that New York has twice in autumn",
      ask: ["30 1 * * *", "America/New_York", "2025-11-01T00:00Z"],
      due: ["2025-11-01T05:30Z", "2025-11-02T05:30Z", "2025-11-03T06:30Z"],
    },
    {
      name: "at the end of the hour that Berlin leaves out in spring",
      ask: ["30 2 * * *", "Europe/Berlin", "2025-03-29T00:00Z"],
      due: ["2025-03-29T01:30Z", "2025-03-30T01:00Z", "2025-03-31T00:30Z"],
    },
    {
      name: "once in the hour that Berlin has twice in autumn",
      ask: ["30 2 * * *", "Europe/Berlin", "2025-10-25T00:00Z"],
      due: ["2025-10-25T00:30Z", "2025-10-26T00:30Z", "2025-10-27T01:30Z"],
    },
    {
      name: "every hour through both of Berlin's double hours",
      ask: ["0 * * * *", "Europe/Berlin", "2025-10-25T23:00Z"],
      due: ["2025-10-26T00:00Z", "2025-10-26T01:00Z", "2025-10-26T02:00Z"],
    },
    {
      name: "at the end of the half hour that Lord Howe leaves out in spring",
      ask: ["15 2 * * *", "Australia/Lord_Howe", "2025-10-03T00:00Z"],
      due: ["2025-10-03T15:45Z", "2025-10-04T15:30Z", "2025-10-05T15:15Z"],
    },
    {
      name: "once in the half hour that Lord Howe has twice in autumn",
      ask: ["45 1 * * *", "Australia/Lord_Howe", "2025-04-04T00:00Z"],
      due: ["2025-04-04T14:45Z", "2025-04-05T14:45Z", "2025-04-06T15:15Z"],
    },
    {
      name: "at a quarter past in UTC where Kathmandu has its full hour",
      ask: ["0 9 * * *", "Asia/Kathmandu", "2025-01-01T00:00Z"],
      due: ["2025-01-01T03:15Z", "2025-01-02T03:15Z"],
    },
    {
      name: "only in leap years on the 29th of February",
      ask: ["0 0 29 2 *", "UTC", "2025-01-01T00:00Z"],
      due: ["2028-02-29T00:00Z", "2032-02-29T00:00Z"],
    },
    {
      name: "never on the 30th of February",
      ask: ["0 0 30 2 *", "UTC", "2025-01-01T00:00Z"],
      due: [],
    },
  ] as const)("is due $name", ({ ask: [expression, timezone, after], due }) => {
    expect(dates(expression, timezone, after, Math.max(1, due.length))).toEqual(due);
  });

  it("is due strictly after the instant that is asked about", () => {
    const noon = Date.parse("2025-01-15T12:00Z");
    expect(nextDue("0 12 * * *", "UTC", noon - 1)).toBe(noon);
    expect(nextDue("0 12 * * *", "UTC", noon)).toBe(noon + DAY);
    expect(nextDue("0 12 * * *", "UTC", noon + 1)).toBe(noon + DAY);
  });

  it.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])(
    "answers alike whatever was asked before, in %s",
    (timezone) => {
      const year = Date.parse("2025-01-01T00:00Z");
      const instants = fc.integer({ min: 0, max: 365 * 24 * 60 }).map((n) => year + n * MINUTE);
      const questions = fc.array(instants, { minLength: 2, maxLength: 5 });
      fc.assert(
        fc.property(questions, fc.constantFrom("30 2 * * *", "*/20 1-3 * * *"), (list, expression) => {
          for (const after of list) {
            const due = nextDue(expression, timezone, after) ?? Number.NaN;
            expect(due).toBeGreaterThan(after);
            expect(nextDue(expression, timezone, due - 1)).toBe(due);
            expect(nextDue(expression, timezone, after)).toBe(due);
            expect(due - after).toBeLessThanOrEqual(25 * HOUR);
          }
        }),
        { numRuns: 50 },
      );
    },
  );
});

describe("cronProblem", () => {
  it.each(["30 2 * * *", "*/15 * * * *", "@daily", "0 0 L * *", "0 9 * * MON-FRI", "0 0 29 2 *"])(
    "has nothing against %j",
    (expression) => {
      expect(cronProblem(expression, "Europe/Berlin")).toBeUndefined();
    },
  );

  it.each([
    ["", /five, six, or seven/],
    ["* * *", /five, six, or seven/],
    ["hello", /five, six, or seven/],
    ["61 * * * *", /^Invalid value for minute: 61$/],
    ["5/10 * * * *", /stepping with numeric prefix/],
    ["0 22-4 * * *", /From value is larger than to value/],
    ["@reboot", /not supported/],
    ["0 0 30 2 *", /^it never comes due$/],
    ["2030-01-01T00:00:00", /^it comes due only once$/],
  ])("explains what is wrong with %j", (expression, problem) => {
    expect(cronProblem(expression, "UTC")).toMatch(problem);
  });

  it.each(["Mars/Phobos", "", "Europe/Berlin "])("explains that there is no time zone %j", (timezone) => {
    expect(cronProblem("30 2 * * *", timezone)).toBe(
      `there is no time zone "${timezone}"; write one such as Europe/Berlin or UTC`,
    );
  });
});
