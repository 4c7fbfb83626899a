import * as z from "zod";
import { expectedDuration, type Millis, parseDuration } from "../../core/duration.ts";
import { cronProblem } from "../../core/schedule/cron.ts";

// Every message says what would be right: it is shown after "expected".

const TIMEZONE = "a time zone such as Europe/Berlin";
export const DURATION = "a duration such as 15m, 1h30m or 90s";

/** A mapping with these keys and no others. */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: "a mapping of keys to values" });
}

export const text = (what: string) => z.string({ error: what });
export const yesNo = z.boolean({ error: "true or false" });
export const channel = text("the name of a channel");
export const channels = z.array(channel, { error: "a list of channels" });
export const timezone = text(TIMEZONE).refine(isTimezone, TIMEZONE);

/**
 * Text that a function turns into a value; undefined from it means that the text is wrong. `right` may say more about
 * what would be right for a given text.
 */
export function readAs<T>(
  what: string,
  example: string,
  read: (text: string) => T | undefined,
  right: (text: string) => string = () => what,
) {
  return text(what)
    .meta({ description: what, examples: [example] })
    .transform((written, context) => {
      const value = read(written);
      if (value !== undefined) return value;
      context.addIssue({ code: "custom", message: right(written) });
      return z.NEVER;
    });
}

export const duration = readAs<Millis>(DURATION, "15m", parseDuration, (written) =>
  expectedDuration(written, DURATION),
);

function isTimezone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Adds a problem of a key: what would be right there, or (`whole`) a sentence that says what is wrong. */
export type AddProblem = (
  path: string | readonly (string | number)[],
  message: string,
  whole?: "whole",
) => void;

export function problemsOf(context: {
  addIssue(issue: {
    code: "custom";
    path: PropertyKey[];
    message: string;
    params: Record<string, unknown>;
  }): void;
}): AddProblem {
  return (path, message, whole) =>
    context.addIssue({ code: "custom", path: [path].flat(), message, params: { whole } });
}

/** Checks the keys that say when something is due: either `every` or a `schedule` that cron can read. */
export function checkSchedule(
  {
    every,
    schedule,
    timezone,
  }: { every?: Millis | undefined; schedule?: string | undefined; timezone?: string | undefined },
  add: AddProblem,
): void {
  if (schedule === undefined) return;
  if (every !== undefined) add("schedule", "either every or schedule, not both");
  const zone = timezone ?? "UTC";
  const problem = isTimezone(zone) ? cronProblem(schedule, zone) : undefined;
  if (problem !== undefined) add("schedule", `a cron expression (${problem})`);
}
