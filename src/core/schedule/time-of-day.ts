import type { Instant } from "../duration.ts";

/** Formatters are kept, because making one costs a thousand times as much as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a zone show: `09:30`. */
export function timeOfDay(timezone: string, at: Instant): string {
  let formatter = formatters.get(timezone);
  if (formatter === undefined) {
    const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: timezone } as const;
    formatter = new Intl.DateTimeFormat("en-GB", options);
    formatters.set(timezone, formatter);
  }
  return formatter.format(at);
}

const weekdays = new Map<string, Intl.DateTimeFormat>();
const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The day of the week in a zone, from 0 for Monday, and the minute of that day. */
export function weekdayAt(
  timezone: string,
  at: Instant,
): { readonly weekday: number; readonly minute: number } {
  let formatter = weekdays.get(timezone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: timezone });
    weekdays.set(timezone, formatter);
  }
  const [hours = 0, minutes = 0] = timeOfDay(timezone, at).split(":").map(Number);
  return { weekday: NAMES.indexOf(formatter.format(at)), minute: hours * 60 + minutes };
}
