import { type Instant, MINUTE } from "../duration.ts";
import { type ActiveHours, isActive } from "./active-hours.ts";
import { weekdayAt } from "./time-of-day.ts";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Hours that come back on some days of the week; a stretch over midnight belongs to the day on which it begins. */
export interface Window extends ActiveHours {
  readonly days: readonly Weekday[];
}

/** When the window ends in which an instant lies; undefined if it lies in none. */
export function windowEnd(window: Window, at: Instant): Instant | undefined {
  if (!isIn(window, at)) return undefined;
  let minute = Math.floor(at / MINUTE) * MINUTE;
  do minute += MINUTE;
  while (isIn(window, minute));
  return minute;
}

function isIn(window: Window, at: Instant): boolean {
  if (!isActive(window, at)) return false;
  const { weekday, minute } = weekdayAt(window.timezone, at);
  const isAfterMidnight = window.from > window.to && minute < window.to;
  const day = isAfterMidnight ? (weekday + 6) % 7 : weekday;
  return window.days.includes(WEEKDAYS[day] ?? "mon");
}
