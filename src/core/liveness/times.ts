import { type Instant, sayAgo, sayDuration, sayInstant } from "../duration.ts";

/** When something was: its age for a reader now, or a date in a stored sentence (`lasting`). */
export function ago(at: Instant, now: Instant, lasting: boolean): string {
  return lasting ? `at ${sayInstant(at)}` : sayAgo(now - at);
}

/** How long something has lasted: its length for a reader now, or its beginning in a stored sentence (`lasting`). */
export function forSpan(since: Instant, now: Instant, lasting: boolean): string {
  return lasting ? `since ${sayInstant(since)}` : `for ${sayDuration(now - since)}`;
}
