import { formatDuration, type Instant, type Millis } from "../duration.ts";
import { nextDue } from "./cron.ts";

/**
 * When something comes due: at a pace, or by a calendar. The instants of a pace are the multiples of its length
 * since 1970 (UTC), so that they are the same after every restart, whoever computes them.
 */
export type Schedule = { readonly every: Millis } | { readonly cron: string; readonly timezone: string };

/**
 * The instants of a schedule, moved by `shift` milliseconds. A shift makes them new ones: after the clock was set
 * back, the same calendar is gone through again without naming an instant that was there before.
 */
export interface Timeline {
  readonly schedule: Schedule;
  readonly shift: Millis;
}

/** The first instant after `after`; infinity if there is none. */
export function instantAfter({ schedule, shift }: Timeline, after: Instant): Instant {
  const from = after - shift;
  if ("every" in schedule) return (Math.floor(from / schedule.every) + 1) * schedule.every + shift;
  const next = nextDue(schedule.cron, schedule.timezone, from);
  return next === undefined ? Number.POSITIVE_INFINITY : next + shift;
}

/** The last instant up to and including `until`, given one that is not after it. */
export function lastInstant(timeline: Timeline, known: Instant, until: Instant): Instant {
  const { schedule, shift } = timeline;
  if ("every" in schedule) return Math.floor((until - shift) / schedule.every) * schedule.every + shift;
  let [last, beyond] = [known, until];
  for (;;) {
    const next = instantAfter(timeline, last);
    if (next > until) return last;
    last = next;
    // Halving the rest makes a jump over years cheap: what lies between is not gone through.
    const middle = Math.floor((last + beyond) / 2);
    const late = instantAfter(timeline, middle);
    if (late <= until) last = Math.max(last, late);
    else beyond = middle;
  }
}

/** How many instants there are from one to another, both included; counting stops above `most`. */
export function countInstants(timeline: Timeline, first: Instant, last: Instant, most: number): number {
  const { schedule } = timeline;
  if ("every" in schedule) return Math.round((last - first) / schedule.every) + 1;
  let count = 1;
  for (let at = first; at < last && count <= most; count++) at = instantAfter(timeline, at);
  return count;
}

/** The instant that has `count` - 1 instants between itself and `last`; there must be so many after `first`. */
export function instantBefore(timeline: Timeline, first: Instant, last: Instant, count: number): Instant {
  const { schedule } = timeline;
  if ("every" in schedule) return last - count * schedule.every;
  let at = last;
  let gap = instantAfter(timeline, last) - last;
  for (let back = 0; back < count; back++) {
    // Most calendars are even: the gap that was found last is a good guess for the next.
    const guess = instantAfter(timeline, at - gap - 1);
    const before =
      guess < at && instantAfter(timeline, guess) === at ? guess : lastInstant(timeline, first, at - 1);
    gap = at - before;
    at = before;
  }
  return at;
}

/** A schedule as one line of text, which is another one if the schedule is another one. */
export function formatSchedule(schedule: Schedule): string {
  return "every" in schedule
    ? `every ${formatDuration(schedule.every)}`
    : `${schedule.cron} ${schedule.timezone}`;
}
