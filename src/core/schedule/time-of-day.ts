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
