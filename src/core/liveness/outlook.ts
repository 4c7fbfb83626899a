import type { Rule } from "../agent.ts";
import type { Instant } from "../duration.ts";
import { dueAfter } from "../schedule/rule.ts";
import { type BlindSpan, CALENDAR_HOLD, isLag, type Trust } from "./trust.ts";

/** What the beat rule alone says from `from` on, if nothing more is heard. */
export interface Stretch {
  readonly from: Instant;
  readonly says: "fresh" | "late" | "excused" | "dead";
  /** If it is excused: when Rollcall watched again, after the last break that gave the agent its chance. */
  readonly watchedFrom?: Instant;
}

/**
 * The whole future of a silence that began with the stamp at `stamp`, as stretches in order of time. The first
 * is `fresh`, the last `dead`. `excused` is what must be shown as unknown: by the calendar or the pace the agent
 * is overdue, but we did not watch, so it still has a chance of one whole dead-after (of the next due instant,
 * for calendars) from the moment we looked again.
 *
 * That chance is given once until the agent is heard again, or it could be silent for ever under a watcher that restarts often.
 * `own` is its deadline if nothing but watched time counts. Of the breaks that began before it, the last one gives the chance; a
 * later one only moves the end of the chance out by its own length. So silence is noticed after twice the dead-after of
 * watched time at most. A pause gives its chance always, and begins anew; a date that nobody watched is always excused.
 */
export function outlook(rule: Rule, stamp: Instant, trust: Trust): readonly Stretch[] {
  // A lag moves out when it counts as late (`due`), not the date itself.
  let date = dueAfter(rule, stamp);
  let due = date;
  let promised = due + rule.grace;
  let own = promised;
  let dead = promised;
  let excusedFrom: Instant | undefined;
  let watchedFrom: Instant | undefined;
  // Spans may overlap: what two of them tell of counts once.
  let counted = stamp;

  for (const span of joinedAfter(stamp, trust.blind)) {
    if (span.from >= dead) continue;
    const length = Math.max(0, span.to - Math.max(span.from, counted));
    counted = Math.max(counted, span.to);
    if (isLag(span, rule)) {
      if (span.from < due) due += length;
      promised += length;
      own += length;
      dead += length;
      continue;
    }
    const missed = span.from <= due && span.to > date;
    if (!missed && span.from >= own && span.cause !== "paused") {
      dead += length;
      continue;
    }
    own += length;
    watchedFrom = span.to;
    if (missed) excusedFrom ??= span.to;
    if ("every" in rule) {
      dead = Math.max(dead, span.to + rule.every + rule.grace);
      if (span.cause === "paused") own = dead;
      continue;
    }
    if (missed) {
      date = dueAfter(rule, span.to - 1);
      due = date;
      promised = due + rule.grace;
      own = promised;
    }
    dead = Math.max(dead, (missed ? due : span.to) + rule.grace, hold(span));
    if (span.cause === "paused") own = dead;
  }
  return stretches(rule, stamp, { due, promised, dead, excusedFrom, watchedFrom });
}

/**
 * The spans that end after `stamp`. Those that touch are one: a disk that is slow for an hour leaves many short ones, each of
 * which would be a lag, although an agent was never heard between them.
 */
function joinedAfter(stamp: Instant, blind: readonly BlindSpan[]): readonly BlindSpan[] {
  const joined: BlindSpan[] = [];
  for (const span of blind) {
    if (span.to <= stamp) continue;
    const last = joined.at(-1);
    if (last === undefined || !areOne(last, span)) joined.push(span);
    else {
      const cause = last.cause === "lag" ? span.cause : last.cause;
      const [from, to] = [Math.min(last.from, span.from), Math.max(last.to, span.to)];
      joined[joined.length - 1] = { from, to, cause };
    }
  }
  return joined;
}

/** A pause and a step of the clock stay what they are. */
function areOne(a: BlindSpan, b: BlindSpan): boolean {
  const isPlain = ({ cause }: BlindSpan) => cause !== "paused" && cause !== "step";
  return a.from <= b.to && b.from <= a.to && isPlain(a) && isPlain(b);
}

function hold(span: BlindSpan): Instant {
  return span.cause === "step" ? span.to + CALENDAR_HOLD : span.to;
}

interface Marks {
  readonly due: Instant;
  readonly promised: Instant;
  readonly dead: Instant;
  readonly excusedFrom: Instant | undefined;
  readonly watchedFrom: Instant | undefined;
}

function stretches(rule: Rule, stamp: Instant, marks: Marks): readonly Stretch[] {
  const { due, promised, dead, excusedFrom, watchedFrom } = marks;
  const excused = (from: Instant): Stretch => ({ from, says: "excused", watchedFrom: watchedFrom ?? from });
  const list: Stretch[] = [{ from: stamp, says: "fresh" }];
  if (excusedFrom !== undefined) {
    list.push(excused(excusedFrom));
    // A calendar has a next date, which is watched; a pace counts from the end of the break.
    if ("every" in rule) return [...list, { from: dead, says: "dead" }];
  }
  if (due < dead) list.push({ from: due, says: "late" });
  if (promised < dead) list.push(excused(promised));
  list.push({ from: dead, says: "dead" });
  return list;
}

/** The stretch in which `now` lies, and when the next one begins. */
export function at(list: readonly Stretch[], now: Instant): { stretch: Stretch; next: Instant } {
  let stretch: Stretch = list[0] ?? { from: now, says: "fresh" };
  for (const candidate of list) {
    if (candidate.from > now) return { stretch, next: candidate.from };
    stretch = candidate;
  }
  return { stretch, next: Number.POSITIVE_INFINITY };
}
