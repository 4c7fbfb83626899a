import { parseDuration, sayDuration as sayCore } from "../../src/core/duration.ts";

/** A length as the watcher says it, in whole seconds: what counts here is redrawn once a second. */
export function sayDuration(length: number): string {
  return sayCore(Math.floor(length / 1000) * 1000);
}

/** Its largest unit alone, for columns where numbers stand under each other. */
export function sayShort(length: number): string {
  return sayDuration(length).split(" ", 2).join(" ");
}

/** How an instant lies to now: `5 min ago`, `in 2 h`, `now`. */
export function sayRelative(at: number, now: number): string {
  if (Math.abs(now - at) < 1000) return "now";
  return at < now ? `${sayDuration(now - at)} ago` : `in ${sayDuration(at - now)}`;
}

const LENGTH = String.raw`\d+ (?:d|h|min|s)(?: \d+ (?:h|min|s))?`;
const GROWING = new RegExp(String.raw`\b(?:(for )(${LENGTH})|(${LENGTH})( ago)|just now)\b`);
/** Reasons whose sentence quotes the agent itself: nothing in them may be taken for a length of ours. */
const QUOTING = new Set([
  "says-error",
  "done-not-proven",
  "permission",
  "question",
  "login",
  "limit",
  "paused",
]);

/**
 * A sentence such as "beat 4 s ago; …" was true when it was said. This says it as of `grown` milliseconds later, so that
 * a roll that lies open does not claim that a silence is young. The watcher says such sentences in one form.
 */
export function grown(why: string, reason: string, by: number): string {
  if (by < 1000 || QUOTING.has(reason)) return why;
  return why.replace(GROWING, (whole, since?: string, a?: string, b?: string) => {
    const length = (parseDuration((a ?? b ?? "").replaceAll("min", "m")) ?? 0) + by;
    if (since !== undefined) return `for ${sayDuration(length)}`;
    return whole === "just now" ? `${sayDuration(by)} ago` : `${sayDuration(length)} ago`;
  });
}
