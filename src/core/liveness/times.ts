import { type Instant, iso, sayAgo, sayDuration } from "../duration.ts";

/** An instant for a stored sentence: it stays true however late it is read. */
export function sayInstant(at: Instant): string {
  return `${iso(at).slice(0, -5)}Z`;
}

/** When something was: its age for a reader now, or a date in a stored sentence (`lasting`). */
export function ago(at: Instant, now: Instant, lasting: boolean): string {
  return lasting ? `at ${sayInstant(at)}` : sayAgo(now - at);
}

/** How long something has lasted: its length for a reader now, or its beginning in a stored sentence (`lasting`). */
export function forSpan(since: Instant, now: Instant, lasting: boolean): string {
  return lasting ? `since ${sayInstant(since)}` : `for ${sayDuration(now - since)}`;
}
