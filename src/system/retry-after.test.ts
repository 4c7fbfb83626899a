import { expect, test } from "vitest";
import { afterSeconds, retryAfter } from "./retry-after.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

test.each([
  ["no header", undefined, undefined, undefined],
  ["nothing in it", " ", undefined, undefined],
  ["seconds", "30", undefined, 30_000],
  ["parts of seconds", "0.5", undefined, 500],
  ["none", "0", undefined, 0],
  ["less than none", "-5", undefined, undefined],
  ["more than a day", "1000000", undefined, 86_400_000],
  ["a date by our clock", "Sun, 01 Mar 2026 12:01:00 GMT", undefined, 60_000],
  [
    "a date by its own clock, which is an hour ahead",
    "Sun, 01 Mar 2026 13:01:00 GMT",
    "Sun, 01 Mar 2026 13:00:00 GMT",
    60_000,
  ],
  ["a date that is past", "Sun, 01 Mar 2026 11:00:00 GMT", undefined, 0],
  ["a date in a hundred years", "Sun, 01 Mar 2126 11:00:00 GMT", undefined, 86_400_000],
  ["a word", "soon", undefined, undefined],
])("%s", (_, wish, date, length) => {
  const headers = { ...(wish && { "retry-after": wish }), ...(date && { date }) };
  expect(retryAfter({ headers }, NOW)).toBe(length);
});

test.each([
  [7, 7000],
  [0.25, 250],
  [-1, 0],
  [1e99, 86_400_000],
  [Number.NaN, undefined],
  ["7", undefined],
  [undefined, undefined],
])("%j seconds in a reply's body", (seconds, length) => {
  expect(afterSeconds(seconds)).toBe(length);
});
