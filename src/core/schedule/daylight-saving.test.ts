import { CronExpressionParser } from "cron-parser";
import { describe, expect, it } from "vitest";
import { HOUR, type Instant, iso } from "../duration.ts";
import { nextDue } from "./cron.ts";

/** Around the days on which the clocks change; Kathmandu's never do, and its offset has odd minutes. */
const CHANGES = [
  { zone: "America/New_York", season: "spring", from: "2026-03-07T12:00Z" },
  { zone: "America/New_York", season: "autumn", from: "2026-10-31T12:00Z" },
  { zone: "Europe/Berlin", season: "spring", from: "2026-03-28T12:00Z" },
  { zone: "Europe/Berlin", season: "autumn", from: "2026-10-24T12:00Z" },
  { zone: "Australia/Lord_Howe", season: "spring", from: "2026-10-03T00:00Z" },
  { zone: "Australia/Lord_Howe", season: "autumn", from: "2026-04-04T00:00Z" },
  { zone: "Asia/Kathmandu", season: "spring", from: "2026-03-28T12:00Z" },
  { zone: "Asia/Kathmandu", season: "autumn", from: "2026-10-24T12:00Z" },
] as const;

const EXPRESSIONS = [
  ...[
    "0 0 * * *",
    "30 1 * * *",
    "45 1 * * *",
    "0 2 * * *",
    "15 2 * * *",
    "30 2 * * *",
    "0 3 * * *",
    "0 9 * * *",
  ],
  ...["0 * * * *", "*/15 * * * *", "0 */2 * * *", "*/20 1-3 * * *", "30 1,2,3 * * *", "0 2 * * SUN"],
  ...[
    "@hourly",
    "@daily",
    "@weekly",
    "0 30 2 * * *",
    "30 */30 * * * *",
    "0 0 L * *",
    "0 9 * * MON#1",
    "0 9 * * 5L",
  ],
];

/**
 * Where the second opinion differs, and who is right. The measure is Debian's cron, which people know: a time that is
 * written out comes once a day, right after the change if the change leaves it out; a pace (a star in the minutes or
 * the hours) follows what the clocks show, so it has nothing in an hour that is left out, and goes on in one that
 * comes twice. `ours` and `theirs`: the instants (UTC) that only we, or only they, have.
 */
const DIFFERENCES: readonly {
  readonly why: string;
  readonly rows: readonly (readonly [place: string, expression: string, ours: string, theirs: string])[];
}[] = [
  {
    why: "ours: what the change leaves out comes right after it, not an hour after its time",
    rows: [
      ["America/New_York spring", "15 2 * * *", "03-08T07:00", "03-08T07:15"],
      ["America/New_York spring", "30 2 * * *", "03-08T07:00", "03-08T07:30"],
      ["America/New_York spring", "0 30 2 * * *", "03-08T07:00", "03-08T07:30"],
      ["Europe/Berlin spring", "15 2 * * *", "03-29T01:00", "03-29T01:15"],
      ["Europe/Berlin spring", "30 2 * * *", "03-29T01:00", "03-29T01:30"],
      ["Europe/Berlin spring", "0 30 2 * * *", "03-29T01:00", "03-29T01:30"],
    ],
  },
  {
    why: "ours: every second hour has nothing at 3, and 2 did not come",
    rows: [
      ["America/New_York spring", "0 */2 * * *", "", "03-08T07:00"],
      ["Europe/Berlin spring", "0 */2 * * *", "", "03-29T01:00"],
    ],
  },
  {
    why: "ours: a pace goes on in the hour that comes twice; theirs stands still for it",
    rows: [
      ["America/New_York autumn", "*/20 1-3 * * *", "11-01T06:00 11-01T06:20 11-01T06:40", ""],
      ["Europe/Berlin autumn", "0 */2 * * *", "10-25T01:00", ""],
      ["Europe/Berlin autumn", "*/20 1-3 * * *", "10-25T01:00 10-25T01:20 10-25T01:40", ""],
      ["Australia/Lord_Howe autumn", "*/15 * * * *", "04-04T15:00 04-04T15:15", ""],
      ["Australia/Lord_Howe autumn", "*/20 1-3 * * *", "04-04T15:10", ""],
      ["Australia/Lord_Howe autumn", "30 */30 * * * *", "04-04T15:00", ""],
    ],
  },
  {
    why: "ours: the half hour that Lord Howe leaves out ends at 02:30, which theirs leaves out to 03:00",
    rows: [
      ["Australia/Lord_Howe spring", "0 2 * * *", "10-03T15:30", ""],
      ["Australia/Lord_Howe spring", "15 2 * * *", "10-03T15:30", ""],
      ["Australia/Lord_Howe spring", "*/15 * * * *", "10-03T15:30 10-03T15:45", ""],
      ["Australia/Lord_Howe spring", "*/20 1-3 * * *", "10-03T15:40", ""],
      ["Australia/Lord_Howe spring", "30 1,2,3 * * *", "10-03T15:30", ""],
      ["Australia/Lord_Howe spring", "0 2 * * SUN", "10-03T15:30", ""],
      ["Australia/Lord_Howe spring", "30 */30 * * * *", "10-03T15:30", ""],
    ],
  },
  {
    why: "ours: theirs gives up at a change by half an hour",
    rows: [
      ["Australia/Lord_Howe autumn", "0 2 * * *", "04-04T15:30 04-05T15:30", "gives up"],
      ["Australia/Lord_Howe autumn", "15 2 * * *", "04-04T15:45 04-05T15:45", "gives up"],
      ["Australia/Lord_Howe autumn", "0 3 * * *", "04-04T16:30 04-05T16:30", "gives up"],
      ["Australia/Lord_Howe autumn", "0 9 * * *", "04-04T22:30 04-05T22:30", "gives up"],
      ["Australia/Lord_Howe autumn", "0 2 * * SUN", "04-04T15:30 04-11T15:30", "gives up"],
      ["Australia/Lord_Howe autumn", "0 * * * *", "04-04T15:30 04-04T16:30", "gives up"],
      ["Australia/Lord_Howe autumn", "@hourly", "04-04T15:30 04-04T16:30", "gives up"],
      ["Australia/Lord_Howe autumn", "0 */2 * * *", "04-04T15:30 04-04T17:30", "gives up"],
    ],
  },
];

/** Everything due from `from` on for two and a half days, at least three times. */
function ourInstants(expression: string, zone: string, from: Instant): readonly Instant[] {
  const list: Instant[] = [];
  for (let at = from; ; ) {
    at = nextDue(expression, zone, at) ?? Number.POSITIVE_INFINITY;
    if (at > from + 60 * HOUR && list.length >= 3) return list;
    list.push(at);
  }
}

function theirInstants(expression: string, zone: string, from: Instant, until: Instant): readonly Instant[] {
  const parsed = CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(from) });
  const list: Instant[] = [];
  for (;;) {
    const at = parsed.next().getTime();
    if (at > until) return list;
    list.push(at);
  }
}

const say = (list: readonly Instant[]) => list.map((at) => iso(at).slice(5, 16)).join(" ");

describe("calendars around the changes of the clocks", () => {
  const known = new Map<string, { ours: string; theirs: string; why: string }>(
    DIFFERENCES.flatMap(({ why, rows }) =>
      rows.map(
        ([place, expression, ours, theirs]) => [`${place} ${expression}`, { ours, theirs, why }] as const,
      ),
    ),
  );
  const cases = CHANGES.flatMap(({ zone, season, from }) =>
    EXPRESSIONS.map((expression) => ({
      zone,
      expression,
      from: Date.parse(from),
      name: `${zone} ${season} ${expression}`,
    })),
  );

  it.each(cases.filter(({ name }) => !known.has(name)))(
    "$name: both say the same",
    ({ expression, zone, from }) => {
      const ours = ourInstants(expression, zone, from);
      expect(say(theirInstants(expression, zone, from, ours.at(-1) ?? from))).toBe(say(ours));
    },
  );

  it.each(
    cases.flatMap((row) => {
      const difference = known.get(row.name);
      return difference === undefined ? [] : [{ ...row, ...difference }];
    }),
  )("$name: $why", ({ expression, zone, from, ours: onlyOurs, theirs: onlyTheirs }) => {
    const ours = ourInstants(expression, zone, from);
    const ask = () => theirInstants(expression, zone, from, ours.at(-1) ?? from);
    if (onlyTheirs === "gives up") {
      // It takes more than a second to do so: one row shows it for all of them.
      if (expression === "0 2 * * *") expect(ask).toThrow(/loop limit/);
      expect(say(ours)).toContain(onlyOurs);
    } else {
      const theirs = ask();
      expect(say(ours.filter((at) => !theirs.includes(at)))).toBe(onlyOurs);
      expect(say(theirs.filter((at) => !ours.includes(at)))).toBe(onlyTheirs);
    }
  });

  it("has no row about a case that is not asked", () => {
    const names = new Set(cases.map(({ name }) => name));
    expect([...known.keys()].filter((name) => !names.has(name))).toEqual([]);
  });

  // The second opinion does not know these; the dates are counted by hand.
  it.each([
    ["the weekday nearest to a Sunday is the Monday after it", "0 0 15W 3 *", "UTC", "2026-03-16T00:00"],
    ["the weekday nearest to a Saturday is the Friday before it", "0 0 15W 8 *", "UTC", "2026-08-14T00:00"],
    ["the weekday nearest to the first stays in its month", "0 0 1W 8 *", "UTC", "2026-08-03T00:00"],
    ["the last Friday of a month", "0 9 * * FRI#L", "Europe/Berlin", "2026-01-30T08:00"],
    [
      "every one of several times once, where an hour comes twice",
      "30 1,2 25 10 *",
      "Europe/Berlin",
      "2026-10-24T23:30 2026-10-25T00:30 2027-10-24T23:30",
    ],
  ])("%s", (_, expression, zone, due) => {
    const list: string[] = [];
    for (let at = Date.parse("2026-01-01T00:00Z"); list.length < due.split(" ").length; ) {
      at = nextDue(expression, zone, at) ?? Number.NaN;
      list.push(iso(at).slice(0, 16));
    }
    expect(list.join(" ")).toBe(due);
  });
});
