import { DAY, type Millis, SECOND } from "../core/duration.ts";
import type { HttpAnswer } from "./http.ts";

/** A wish for more is not followed: one wrong header must not silence a channel for good. */
const LONGEST: Millis = DAY;

/** How long the far side asks us to wait, by its header: seconds, or a date on its own clock. */
export function retryAfter({ headers }: Pick<HttpAnswer, "headers">, now = Date.now()): Millis | undefined {
  const wish = headers["retry-after"]?.trim();
  if (wish === undefined || wish === "") return undefined;
  if (/^\d+(?:\.\d+)?$/.test(wish)) return afterSeconds(Number(wish));
  // Every date of HTTP begins with a day of the week; other texts are read as dates that nobody meant.
  const date = /^[a-z]{3}/i.test(wish) ? Date.parse(wish) : Number.NaN;
  if (Number.isNaN(date)) return undefined;
  const theirNow = Date.parse(headers.date ?? "");
  return boundedWait(date - (Number.isNaN(theirNow) ? now : theirNow));
}

/** The same for a number of seconds in a reply's body, if it is one. */
export function afterSeconds(seconds: unknown): Millis | undefined {
  return typeof seconds === "number" && Number.isFinite(seconds) ? boundedWait(seconds * SECOND) : undefined;
}

export function boundedWait(length: Millis): Millis {
  return Math.min(LONGEST, Math.max(0, Math.ceil(length)));
}
