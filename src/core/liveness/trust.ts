import type { Rule } from "../agent.ts";
import { DAY, type Instant, MINUTE, type Millis } from "../duration.ts";
import { fairChance } from "../schedule/rule.ts";

/**
 * Why we were not looking. `lag` only slows us down, and deadlines move out by as much. The others break the
 * watch: agents that promised beats get one whole dead-after from the end of the break, once, unless it was so short
 * for their rule that it is a lag to them (`isLag`).
 */
export type BlindCause = "outage" | "suspend" | "step" | "store" | "lag" | "paused";

/** A span of wall time that was not watched, half-open: `from` is not watched, `to` is again. */
export interface BlindSpan {
  readonly from: Instant;
  readonly to: Instant;
  readonly cause: BlindCause;
}

/** How far we can trust ourselves: the spans that we did not watch, in the order in which they happened. */
export interface Trust {
  readonly blind: readonly BlindSpan[];
}

export const FULL_TRUST: Trust = { blind: [] };

/** After the wall clock stepped, verdicts by the calendar wait this long for it to settle. */
export const CALENDAR_HOLD: Millis = 10 * MINUTE;

/** Stamps further ahead of the clock than this are not believed. */
export const FUTURE_TOLERANCE: Millis = MINUTE;

/** A break of at most this, and of at most half of an agent's grace, is a lag to that agent: senders wait so long and try again. */
const SHORT_BREAK: Millis = MINUTE;

/**
 * Whether a span only moves this agent's deadline out, by its own length. A pause is an operator's wish, and the length of a step
 * says nothing: both always break the watch. A lag as long as the agent's whole chance does too: it may have tried and given up.
 */
export function isLag({ from, to, cause }: BlindSpan, rule: Rule): boolean {
  if (cause === "paused" || cause === "step") return false;
  if (cause === "lag") return to - from < fairChance(rule);
  return to - from <= Math.min(SHORT_BREAK, rule.grace / 2);
}

export function breaksTheWatch(span: BlindSpan): boolean {
  return span.cause !== "lag";
}

/** The end of the last break that ended by `now`, or undefined if the watch was never broken. */
export function lastBreakEnd(trust: Trust, now: Instant): Instant | undefined {
  for (let i = trust.blind.length - 1; i >= 0; i--) {
    const span = trust.blind[i];
    if (span !== undefined && breaksTheWatch(span) && span.to <= now) return span.to;
  }
  return undefined;
}

/** When our clock was last set, by `now`; long ago if it never was. */
export function lastStepEnd(trust: Trust, now: Instant): Instant {
  for (let i = trust.blind.length - 1; i >= 0; i--) {
    const span = trust.blind[i];
    if (span?.cause === "step" && span.to <= now) return span.to;
  }
  return Number.NEGATIVE_INFINITY;
}

/** A gap in the watch longer than this may be a clock that was set wrong; the clock is believed once we watched so long by it. */
const DOUBTFUL: Millis = DAY;

/**
 * The time that history may be forgotten by: the present, or what it was before the clock last went on by more than a day
 * without us. An outage and a wrong clock look the same then, and what a wrong clock erases is gone. Once a day was watched by
 * the new time, the newest data agree with it.
 */
export function believedAt(trust: Trust, now: Instant): Instant {
  let at = now;
  for (let i = trust.blind.length - 1; i >= 0; i--) {
    const span = trust.blind[i];
    // What lies in the future is of another time: the clock was set back since.
    if (span === undefined || span.to > at + FUTURE_TOLERANCE) continue;
    if (span.to > at - DOUBTFUL && span.to - span.from > DOUBTFUL) at = Math.min(at, span.from);
  }
  return at;
}

/** Moves an instant that lies inside a span that was not watched to that span's end. */
export function outsideBlindness(trust: Trust, at: Instant): Instant {
  let moved = at;
  for (const span of trust.blind) if (moved >= span.from && moved < span.to) moved = span.to;
  return moved;
}

/** The instant at which `length` of watched time has passed since `from`: what can be looked at ages only then. */
export function afterWatching(trust: Trust, from: Instant, length: Millis): Instant {
  let end = from + length;
  let counted = from;
  for (const span of trust.blind) {
    if (span.to <= counted || span.from >= end) continue;
    end += span.to - Math.max(span.from, counted);
    counted = span.to;
  }
  return end;
}

/** An instant in trusted time: what we did not watch does not count. Only differences of it mean anything. */
export function trusted(trust: Trust, at: Instant): Millis {
  let counted = at;
  for (const span of trust.blind) if (span.from < at) counted -= Math.min(span.to, at) - span.from;
  return counted;
}

/** The agent's own pause is a span in which it was not watched; it joins the watcher's. */
export function withPause(
  trust: Trust,
  pausedAt: Instant | undefined,
  resumedAt: Instant | undefined,
): Trust {
  if (resumedAt === undefined) return trust;
  const pause: BlindSpan = {
    from: Math.min(pausedAt ?? resumedAt, resumedAt),
    to: resumedAt,
    cause: "paused",
  };
  return { blind: [...trust.blind, pause].sort((a, b) => a.from - b.from || a.to - b.to) };
}
