import { DAY, HOUR, type Instant, type Millis } from "../duration.ts";

/** A month as ticks name it, `YYYY-MM`, in UTC. As text it sorts as time does. */
export type Month = string;

/** How long after the first instant of its month a tick may still arrive: elapsed time, not calendar days. */
const GRACE: Millis = 72 * HOUR;

const FORM = /^(\d{4})-(0[1-9]|1[0-2])$/;

export const MONTH_FORM = "a month such as 2026-04";

/** Reads `2026-04`; anything else is undefined. */
export function parseMonth(text: string): Month | undefined {
  // Years before 100 are not what they seem in JavaScript's dates, and no agent ticked then.
  return FORM.test(text) && text >= "1970" ? text : undefined;
}

/** The month that an instant falls in. */
export function monthOf(at: Instant): Month {
  return new Date(at).toISOString().slice(0, 7);
}

/** The first instant of a month, which is also the end of the one before. */
export function firstInstant(month: Month): Instant {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}

export function nextMonth(month: Month): Month {
  return monthOf(firstInstant(month) + 31 * DAY);
}

export function previousMonth(month: Month): Month {
  return monthOf(firstInstant(month) - 1);
}

/** When the window for a month's tick closes: from this instant on a missing tick is overdue. */
export function dueBy(month: Month): Instant {
  return firstInstant(month) + GRACE;
}

export function isDue(month: Month, now: Instant): boolean {
  return now >= dueBy(month);
}

/** The newest month whose window has closed: from the 1st to the 3rd that is the month before. */
export function monthToCheck(now: Instant): Month {
  const current = monthOf(now);
  return isDue(current, now) ? current : previousMonth(current);
}

/** How many days a missing tick is overdue, a day that has begun counts: 1 on the 4th, for any month. */
export function daysOverdue(month: Month, now: Instant): number {
  return isDue(month, now) ? Math.floor((now - dueBy(month)) / DAY) + 1 : 0;
}
