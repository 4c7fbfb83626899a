import type { ActionPlan, Missed } from "../../core/action/plan.ts";
import { CodedError } from "../../core/coded-error.ts";
import { MINUTE, type Millis } from "../../core/duration.ts";
import { parseActiveHours } from "../../core/schedule/active-hours.ts";
import { cronProblem } from "../../core/schedule/cron.ts";

/** How an action is run. Lengths are milliseconds. */
export interface ActionOptions {
  /** The zone of its calendar and its active hours; UTC unless given. */
  readonly timezone?: string;
  /** Each run begins up to so much later than it is due; 0 unless given. */
  readonly jitter?: Millis;
  /** Such as `08:00-18:00`, or `22:00-06:00` over midnight; at any time unless given. */
  readonly activeHours?: string;
  readonly maxPerHour?: number;
  /** What becomes of instants that passed while nothing could run; `once` unless given. */
  readonly missed?: Missed;
  readonly enabled?: boolean;
  /** After this a run is told to stop; 60 s unless given. */
  readonly timeout?: Millis;
  /** After so many failures in a row somebody is told; 3 unless given. */
  readonly tellAfter?: number;
}

/** An action that cannot be scheduled as it was asked for. */
export class ActionError extends CodedError<
  "bad-action" | "bad-schedule" | "bad-option" | "duplicate-action" | "unknown-action"
> {
  override readonly name = "ActionError";
}

/** Everything that was left open decided. */
export interface SettledOptions {
  readonly plan: ActionPlan;
  readonly timeout: Millis;
  readonly tellAfter: number;
}

/** The longest length that a timer can wait for. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Reads what a program asks for; throws an error that names the action, the option, its value and what would be right. */
export function settleOptions(
  action: string,
  when: { readonly every: Millis } | { readonly cron: string },
  options: ActionOptions,
): SettledOptions {
  const { timezone = "UTC", jitter = 0, missed = "once", enabled = true } = options;
  const { timeout = MINUTE, tellAfter = 3, maxPerHour } = options;
  const check = (name: string, value: unknown, sound: boolean, right: string) => {
    if (sound) return;
    throw new ActionError("bad-option", `action ${action}: ${name} is ${show(value)}; expected ${right}`);
  };
  const whole = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  check("jitter", jitter, whole(jitter, 0), "milliseconds, 0 or more");
  check("timeout", timeout, whole(timeout, 1, LONGEST_TIMER), "milliseconds, from 1 to 24 days");
  check("tellAfter", tellAfter, whole(tellAfter, 1), "a whole number from 1");
  check("maxPerHour", maxPerHour, maxPerHour === undefined || whole(maxPerHour, 1), "a whole number from 1");
  check("missed", missed, ["once", "skip", "all"].includes(missed), "once, skip or all");
  check("enabled", enabled, typeof enabled === "boolean", "true or false");

  // A calendar that is always sound tells whether the zone is.
  const zoneProblem = cronProblem("* * * * *", timezone);
  check("timezone", timezone, zoneProblem === undefined, "the name of a zone, such as Europe/Berlin or UTC");
  const hours = options.activeHours;
  const activeHours = hours === undefined ? undefined : parseActiveHours(hours, timezone);
  const hoursAreSound = hours === undefined || activeHours !== undefined;
  check("activeHours", hours, hoursAreSound, "two times of day such as 08:00-18:00 or 22:00-06:00");

  if ("every" in when) {
    check("intervalMs", when.every, whole(when.every, 1), "milliseconds, a whole number from 1");
  } else {
    const problem = cronProblem(when.cron, timezone);
    if (problem !== undefined)
      throw new ActionError("bad-schedule", `action ${action}: schedule ${show(when.cron)}: ${problem}`);
  }
  const plan: ActionPlan = {
    schedule: "every" in when ? { every: when.every } : { cron: when.cron, timezone },
    jitter,
    missed,
    enabled,
    ...(activeHours === undefined ? {} : { activeHours }),
    ...(maxPerHour === undefined ? {} : { maxPerHour }),
  };
  return { plan, timeout, tellAfter };
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
