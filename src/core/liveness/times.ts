import { type Instant, iso, sayAgo, sayDuration } from "../duration.ts";

/** An instant as a kept sentence names it: it stays true however late somebody reads it. */
export function sayInstant(at: Instant): string {
  return `${iso(at).slice(0, -5)}Z`;
}

/** When something was: how long ago for somebody who reads now, or a date in a sentence that is kept. */
export function ago(at: Instant, now: Instant, lasting: boolean): string {
  return lasting ? `at ${sayInstant(at)}` : sayAgo(now - at);
}

/** How long something has been so: its length for somebody who reads now, or its begin in a sentence that is kept. */
export function forSpan(since: Instant, now: Instant, lasting: boolean): string {
  return lasting ? `since ${sayInstant(since)}` : `for ${sayDuration(now - since)}`;
}
