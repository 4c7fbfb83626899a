import { describe, expect, it } from "vitest";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../duration.ts";
import { formatSchedule, type Schedule } from "../schedule/schedule.ts";
import { decide, jitter, plannedFor } from "./decide.ts";
import type { ActionPlan } from "./plan.ts";
import { type ActionState, newState } from "./state.ts";

const at = (time: string): Instant => Date.parse(`2026-03-10T${time}Z`);
const pace: Schedule = { every: 5 * MINUTE };
const daily: Schedule = { cron: "0 9 * * *", timezone: "UTC" };
const minutely: Schedule = { cron: "* * * * *", timezone: "UTC" };
const plan = (more: Partial<ActionPlan> = {}): ActionPlan => ({
  schedule: pace,
  jitter: 0,
  missed: "once",
  enabled: true,
  ...more,
});
const state = (settledTo: Instant, more: Partial<ActionState> = {}): ActionState => ({
  ...newState("scan", formatSchedule(pace), settledTo),
  ...more,
});
const hours = (from: number, to: number) => ({ from: from * 60, to: to * 60, timezone: "UTC" });

interface Row {
  readonly name: string;
  readonly plan?: Partial<ActionPlan>;
  readonly state?: Partial<ActionState>;
  readonly settledTo?: Instant;
  readonly now: Instant;
  readonly busy?: boolean;
  readonly run?: Instant;
  readonly attempt?: number;
  readonly skips?: readonly (readonly [reason: string, from: Instant, to: Instant, count: number])[];
  readonly next: Instant;
  readonly ends?: Instant;
}

const rows: readonly Row[] = [
  { name: "waits for the next instant", now: at("10:04:59.999"), next: at("10:05") },
  { name: "runs at its instant", now: at("10:05"), run: at("10:05"), next: at("10:10") },
  { name: "runs a little late", now: at("10:05:59"), run: at("10:05"), next: at("10:10") },
  {
    name: "runs the newest of those that were missed",
    now: at("11:02"),
    run: at("11:00"),
    skips: [["missed-skipped", at("10:05"), at("10:55"), 11]],
    next: at("11:05"),
  },
  {
    name: "runs none of those that were missed, if they are to be skipped",
    plan: { missed: "skip" },
    now: at("11:02"),
    skips: [["missed-skipped", at("10:05"), at("11:00"), 12]],
    next: at("11:05"),
  },
  {
    name: "runs the one that is not late, where missed ones are to be skipped",
    plan: { missed: "skip" },
    now: at("11:00:30"),
    run: at("11:00"),
    skips: [["missed-skipped", at("10:05"), at("10:55"), 11]],
    next: at("11:05"),
  },
  {
    name: "runs the first of those that were missed, if all are wanted",
    plan: { missed: "all" },
    now: at("11:02"),
    run: at("10:05"),
    next: at("10:10"),
    ends: at("10:05"),
  },
  {
    name: "runs the newest hundred, if all of a long time are wanted",
    plan: { missed: "all" },
    now: at("22:01"),
    run: at("13:45"),
    skips: [["missed-skipped", at("10:05"), at("13:40"), 44]],
    next: at("13:50"),
    ends: at("13:45"),
  },
  {
    name: "lets them wait for the end of a run, if all are wanted",
    plan: { missed: "all" },
    busy: true,
    now: at("10:12"),
    next: Number.POSITIVE_INFINITY,
    ends: at("10:00"),
  },
  {
    name: "leaves out what comes due during a run",
    busy: true,
    now: at("10:11"),
    skips: [["overlap", at("10:05"), at("10:10"), 2]],
    next: at("10:15"),
  },
  {
    name: "leaves out what comes due while it is disabled by its plan",
    plan: { enabled: false },
    now: at("10:05"),
    skips: [["disabled", at("10:05"), at("10:05"), 1]],
    next: at("10:10"),
  },
  {
    name: "obeys the operator more than the plan: disabled",
    state: { enabled: false },
    plan: { missed: "all" },
    now: at("10:11"),
    skips: [["disabled", at("10:05"), at("10:10"), 2]],
    next: at("10:15"),
  },
  {
    name: "obeys the operator more than the plan: enabled",
    state: { enabled: true },
    plan: { enabled: false },
    now: at("10:05"),
    run: at("10:05"),
    next: at("10:10"),
  },
  {
    name: "does not run outside its hours",
    plan: { activeHours: hours(22, 6) },
    now: at("10:05"),
    skips: [["outside-active-hours", at("10:05"), at("10:05"), 1]],
    next: at("10:10"),
  },
  {
    name: "runs inside its hours, over midnight",
    plan: { activeHours: hours(22, 6) },
    settledTo: at("22:00"),
    now: at("22:05"),
    run: at("22:05"),
    next: at("22:10"),
  },
  {
    name: "does not run late outside the hours in which it was due",
    plan: { activeHours: hours(8, 10), schedule: daily },
    settledTo: at("08:00"),
    now: at("10:30"),
    skips: [["outside-active-hours", at("09:00"), at("09:00"), 1]],
    next: at("09:00") + DAY,
  },
  {
    name: "runs no more than so often an hour",
    plan: { maxPerHour: 2 },
    state: { recent: [at("09:06"), at("10:00")] },
    now: at("10:05"),
    skips: [["rate", at("10:05"), at("10:05"), 1]],
    next: at("10:10"),
  },
  {
    name: "runs again when the hour is over",
    plan: { maxPerHour: 2 },
    state: { recent: [at("09:05"), at("10:00")] },
    now: at("10:05"),
    run: at("10:05"),
    next: at("10:10"),
  },
  {
    name: "leaves out all that is too much an hour, where all are wanted",
    plan: { maxPerHour: 1, missed: "all" },
    state: { recent: [at("10:00")] },
    now: at("10:16"),
    skips: [["rate", at("10:05"), at("10:15"), 3]],
    next: at("10:20"),
  },
  {
    name: "waits where the clock was set back by less than an interval: what has run does not run again",
    settledTo: at("10:05"),
    now: at("10:01"),
    next: at("10:10"),
    ends: at("10:05"),
  },
  {
    name: "starts anew where the clock was set back by hours",
    now: at("08:01"),
    skips: [["clock-set-back", at("08:01"), at("08:01"), 0]],
    next: at("08:05:00.001"),
    ends: at("08:01"),
  },
  {
    name: "does not repeat the day's run where the clock was set back by hours",
    plan: { schedule: daily },
    settledTo: at("09:00"),
    now: at("06:30"),
    next: at("09:00") + DAY,
    ends: at("09:00"),
  },
  {
    name: "starts anew where the clock comes back from another year",
    plan: { schedule: daily },
    settledTo: at("09:00") + 400 * DAY,
    now: at("06:30"),
    skips: [["clock-set-back", at("06:30"), at("06:30"), 0]],
    next: at("09:00") + 1,
    ends: at("06:30"),
  },
  {
    name: "runs once, not a hundred thousand times, where the clock jumps by years",
    now: at("10:01") + 3653 * DAY,
    run: at("10:00") + 3653 * DAY,
    skips: [["missed-skipped", at("10:05"), at("09:55") + 3653 * DAY, 3653 * 288 - 1]],
    next: at("10:05") + 3653 * DAY,
  },
  {
    name: "repeats a run that did not come to its end, once",
    state: { again: at("10:00") },
    now: at("10:02"),
    run: at("10:00"),
    attempt: 2,
    next: at("10:05"),
    ends: at("10:00"),
  },
  {
    name: "lets a newer run do the work of one that did not come to its end",
    state: { again: at("10:00") },
    now: at("10:05"),
    run: at("10:05"),
    next: at("10:10"),
  },
  {
    name: "repeats a run that did not come to its end before newer ones, if all are wanted",
    plan: { missed: "all" },
    state: { again: at("10:00") },
    now: at("10:05"),
    run: at("10:00"),
    attempt: 2,
    next: at("10:05"),
    ends: at("10:00"),
  },
  {
    name: "does not repeat a run where it is disabled",
    state: { again: at("10:00"), enabled: false },
    now: at("10:02"),
    skips: [["disabled", at("10:00"), at("10:00"), 1]],
    next: at("10:05"),
    ends: at("10:00"),
  },
];

describe("an action", () => {
  it.each(rows)("$name", (row) => {
    const settledTo = row.settledTo ?? at("10:00");
    const decision = decide(plan(row.plan), state(settledTo, row.state), row.now, row.busy ?? false);
    expect({
      run: decision.run?.dueAt,
      attempt: decision.run?.attempt ?? 1,
      skips: decision.skips.map(({ reason, from, to, count }) => [reason, from, to, count]),
      settledTo: decision.settledTo,
      next: decision.next,
    }).toEqual({
      run: row.run,
      attempt: row.attempt ?? 1,
      skips: row.skips ?? [],
      settledTo: row.ends ?? row.run ?? row.skips?.at(-1)?.[2] ?? settledTo,
      next: row.next,
    });
  });

  it("does not count all that a calendar missed in years, and says so", () => {
    const now = at("10:00:30") + 1000 * DAY;
    const decision = decide(plan({ schedule: minutely }), state(at("10:00")), now, false);
    expect(decision.run?.dueAt).toBe(at("10:00") + 1000 * DAY);
    expect(decision.skips).toEqual([
      {
        reason: "missed-skipped",
        from: at("10:01"),
        to: at("09:59") + 1000 * DAY,
        count: 100,
        more: true,
      },
    ]);
  });

  it("catches up with the newest hundred of a calendar", () => {
    const now = at("10:00:30") + 30 * DAY;
    const decision = decide(plan({ schedule: minutely, missed: "all" }), state(at("10:00")), now, false);
    expect(decision.run?.dueAt).toBe(at("10:00") + 30 * DAY - 99 * MINUTE);
  });

  describe("with jitter", () => {
    const spread = plan({ jitter: 2 * MINUTE });
    const moment = at("10:05") + jitter("scan", at("10:05"), 2 * MINUTE);

    it("waits for its moment, and then runs the instant that it is for", () => {
      expect(decide(spread, state(at("10:00")), at("10:05"), false).next).toBe(moment);
      expect(decide(spread, state(at("10:00")), moment - 1, false).run).toBeUndefined();
      expect(decide(spread, state(at("10:00")), moment, false).run?.dueAt).toBe(at("10:05"));
    });

    it("has its moment before the next instant, however large it is", () => {
      for (let due = at("10:05"); due < at("20:00"); due += 5 * MINUTE) {
        const planned = plannedFor(plan({ jitter: 3 * HOUR }), state(at("10:00")), due);
        expect(planned).toBeGreaterThanOrEqual(due);
        expect(planned).toBeLessThan(due + 5 * MINUTE);
      }
    });

    it("does not run a missed one shortly before the newest one has its moment", () => {
      const decision = decide(spread, state(at("09:00")), moment - SECOND, false);
      expect(decision).toMatchObject({ skips: [], next: moment });
    });
  });
});
