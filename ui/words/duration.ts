const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
] as const;

/** A length for people, in its two largest units, as the watcher says it: `23 min`, `1 h 5 min`, `2 d`. */
export function sayDuration(length: number): string {
  const positive = Math.max(0, length);
  const largest = UNITS.findIndex(([size]) => positive >= size);
  const [size, unit] = UNITS[largest] ?? [1000, "s"];
  const count = Math.floor(positive / size);
  const next = UNITS[largest + 1];
  if (largest < 0 || next === undefined || (unit === "min" && count >= 10)) return `${count} ${unit}`;
  const rest = Math.floor((positive - count * size) / next[0]);
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${next[1]}`;
}

/** The same in its largest unit alone, for columns where numbers stand under each other. */
export function sayShort(length: number): string {
  const positive = Math.max(0, length);
  const [size, unit] = UNITS.find(([size]) => positive >= size) ?? [1000, "s"];
  return `${Math.floor(positive / size)} ${unit}`;
}

/** How an instant lies to now: `5 min ago`, `in 2 h`, `now`. */
export function sayRelative(at: number, now: number): string {
  if (Math.abs(now - at) < 1000) return "now";
  return at < now ? `${sayDuration(now - at)} ago` : `in ${sayDuration(at - now)}`;
}

const LENGTH = String.raw`\d+ (?:d|h|min|s)(?: \d+ (?:h|min|s))?`;
const GROWING = new RegExp(String.raw`\b(?:(for )(${LENGTH})|(${LENGTH})( ago)|just now)\b`);
const PART = /(\d+) (d|h|min|s)/g;

/** Reasons whose sentence quotes the agent itself: nothing in them may be taken for a length of ours. */
const QUOTING = new Set(["says-error", "permission", "question", "login", "limit", "paused"]);

/**
 * A sentence such as "beat 4 s ago; …" was true when it was said. This says it as of `grown` milliseconds later, so that
 * a roll that lies open does not claim that a silence is young. The watcher says such sentences in one form.
 */
export function grown(why: string, reason: string, by: number): string {
  if (by < 1000 || QUOTING.has(reason)) return why;
  return why.replace(GROWING, (whole, since?: string, a?: string, b?: string) => {
    const length = readLength(a ?? b ?? "") + by;
    if (since !== undefined) return `for ${sayDuration(length)}`;
    return whole === "just now" ? `${sayDuration(by)} ago` : `${sayDuration(length)} ago`;
  });
}

function readLength(text: string): number {
  let total = 0;
  for (const [, count, unit] of text.matchAll(PART)) {
    total += Number(count) * (UNITS.find(([, name]) => name === unit)?.[0] ?? 0);
  }
  return total;
}
