/** A length of time in milliseconds. */
export type Millis = number;
/** A point in time: milliseconds since 1970 UTC. */
export type Instant = number;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS: Readonly<Record<string, Millis>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const FORM = /^\s*(?:\d+(?:\.\d+)?\s*(?:ms|[smhdw])\s*)+$/;
const PART = /(\d+(?:\.\d+)?)\s*(ms|[smhdw])/g;

/** The longest length that is accepted: ten years. It keeps every sum of instants exact. */
const LONGEST = 3653 * DAY;

/** Reads `15m`, `1h30m`, `90s`. Returns undefined for anything else, and for lengths that make no sense. */
export function parseDuration(text: string): Millis | undefined {
  const lower = text.toLowerCase();
  if (!FORM.test(lower)) return undefined;
  let total = 0;
  for (const [, amount, unit] of lower.matchAll(PART)) total += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  const rounded = Math.round(total);
  return rounded > 0 && rounded <= LONGEST ? rounded : undefined;
}

const NOT_POSITIVE = /^\s*(?:-\s*\d.*|(?:0+(?:\.0+)?\s*(?:ms|[smhdw])\s*)+)$/;

/** What would be right in place of a text that is no length: `0s` and `-5m` are well written, but too short. */
export function expectedDuration(text: string, usual: string): string {
  return NOT_POSITIVE.test(text.toLowerCase()) ? "a duration longer than 0, such as 15m" : usual;
}

/** Writes a length so that `parseDuration` reads it back: `1h30m`. */
export function formatDuration(length: Millis): string {
  let rest = Math.round(length);
  let text = "";
  for (const [size, unit] of PEOPLE) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) text += `${count}${unit.charAt(0)}`;
  }
  if (rest > 0) text += `${rest}ms`;
  return text === "" ? "0s" : text;
}

const PEOPLE = [
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "min"],
  [SECOND, "s"],
] as const;

/** Writes a length for people, in its two largest units: `23 min`, `1 h 5 min`, `2 d`. */
export function sayDuration(length: Millis): string {
  const positive = Math.max(0, length);
  if (positive < SECOND) return positive === 0 ? "0 s" : "under 1 s";
  const largest = PEOPLE.findIndex(([size]) => positive >= size);
  const [size, unit] = PEOPLE[largest] ?? [SECOND, "s"];
  const count = Math.floor(positive / size);
  const next = PEOPLE[largest + 1];
  // Seconds beside minutes are noise once there are ten of them.
  if (next === undefined || (size === MINUTE && count >= 10)) return `${count} ${unit}`;
  const rest = Math.floor((positive - count * size) / next[0]);
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${next[1]}`;
}

/** How long ago something was, for people. */
export function sayAgo(length: Millis): string {
  return length < SECOND ? "just now" : `${sayDuration(length)} ago`;
}

/** An instant as the product writes it everywhere: ISO 8601, UTC, milliseconds. */
export function iso(at: Instant): string {
  return new Date(at).toISOString();
}

/** An instant in a sentence, without the milliseconds. It stays true however late the sentence is read. */
export function sayInstant(at: Instant): string {
  return `${iso(at).slice(0, -5)}Z`;
}
