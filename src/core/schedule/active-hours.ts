import type { Instant } from "../duration.ts";
import { timeOfDay } from "./time-of-day.ts";

/** A stretch of every day, in minutes after midnight; it wraps midnight where `from` is after `to`. */
export interface ActiveHours {
  readonly from: number;
  readonly to: number;
  readonly timezone: string;
}

const FORM = /^\s*(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*$/;

/** Reads `22:00-06:00`. Undefined for anything else, and for a stretch without a length. */
export function parseActiveHours(text: string, timezone: string): ActiveHours | undefined {
  const parts = FORM.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [fromHour = 99, fromMinute = 99, toHour = 99, toMinute = 99] = parts;
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const sound = fromMinute < 60 && toMinute < 60 && from < 24 * 60 && to <= 24 * 60 && from !== to;
  return sound ? { from, to, timezone } : undefined;
}

/** Whether an instant lies in the hours: from their first minute to before their last. */
export function isActive({ from, to, timezone }: ActiveHours, at: Instant): boolean {
  const [hours = 0, minutes = 0] = timeOfDay(timezone, at).split(":").map(Number);
  const minute = hours * 60 + minutes;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
