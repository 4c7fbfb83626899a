import { sayAsks } from "../asks.ts";
import { type Instant, sayDuration, sayInstant } from "../duration.ts";
import { sayRule } from "../schedule/rule.ts";
import type { Row } from "./case.ts";
import type { Facts } from "./facts.ts";
import { IDLE_WITH_WORK, type Limit } from "./limits.ts";
import { openCycle } from "./lives.ts";
import type { Context } from "./observation.ts";
import { at, outlook } from "./outlook.ts";
import type { Reason } from "./state.ts";
import { ago, forSpan } from "./times.ts";
import { afterWatching } from "./trust.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** Row 4: its screen or transcript says that a human or the clock must come first. */
export const needsHumanRow: Row = ({ facts: { screen } }) => {
  if (screen === undefined) return undefined;
  const { reading, detail, resetAt, asks, unproven } = screen;
  if (reading === "waiting" || reading === "login") {
    const reason: Reason =
      reading === "login" ? "login" : detail === "permission" ? "permission" : "question";
    const what = reading === "login" ? "it asks for a login" : wanted(detail);
    // What a beat without a token asks is not for people: any program could have written it.
    const words = asks === undefined || unproven === true ? "" : `: ${sayAsks(asks)}`;
    const why = `waits for a human: ${what}${words}`;
    return { state: "waiting", reason, why, at: screen.at, next: NEVER };
  }
  if (reading !== "limited") return undefined;
  const until = resetAt === undefined ? "" : `, resets at ${sayInstant(resetAt)}`;
  return { state: "limited", reason: "limit", why: `at a usage limit${until}`, at: screen.at, next: NEVER };
};

function wanted(detail: string | undefined): string {
  if (detail === undefined) return "it asks for an answer";
  return WANTED[detail] ?? `it asks for ${detail}`;
}

/** What a screen wants, by the `kind` of the rule that read it. */
const WANTED: Readonly<Partial<Record<string, string>>> = {
  choice: "it asks for a choice",
  editor: "an editor is open",
  "fg (it is suspended)": "type fg (it is suspended)",
  key: "it waits for a key",
  pager: "a pager is open",
  password: "it asks for a password",
  question: "it asks a question",
  "yes-no": "it asks for yes or no",
};

/** Row 7, asked before row 6: it works, but its calls repeat earlier ones. What they write may be new each time, and is no progress. */
export const loopRow: Row = ({ facts: { repeats, screen }, now, lasting }) => {
  if (repeats?.loopsSince === undefined || (screen !== undefined && IDLE.has(screen.reading)))
    return undefined;
  const { calls, at, quotes = "", loopsSince } = repeats;
  const nothing = `nothing new ${forSpan(at, now, lasting)}`;
  const why = `repeats earlier calls, ${calls} in a row, ${nothing}: ${quotes}`;
  return { state: "stalled", reason: "looping", why, at: loopsSince, next: NEVER };
};

const IDLE: ReadonlySet<string> = new Set(["idle", "waiting", "login", "limited"]);

/** The agent's progress: when it last said something new, in which context, and how a stall would look. */
interface Progress {
  readonly last: Instant;
  readonly context: Context;
  readonly looks: Reason;
}

function progressOf(facts: Facts): Progress | undefined {
  const { screen, activity, ownBeat } = facts;
  // Its own beat is progress; a wrapper's is not.
  const own = ownBeat?.at ?? Number.NEGATIVE_INFINITY;
  if (screen !== undefined) {
    if (screen.reading === "idle") return undefined;
    const looks = LOOKS[screen.reading] ?? "silent";
    return { last: Math.max(screen.progressAt, own), context: screen.context, looks };
  }
  // Without a screen, time alone decides what kind of silence it is, with the limit of an unknown context.
  if (activity === undefined) return undefined;
  return { last: Math.max(activity.at, own), context: activity.context, looks: "silent" };
}

const LOOKS: Partial<Record<string, Reason>> = {
  spinning: "spinning",
  looping: "looping",
  retrying: "retrying",
};

/** Its connections say that it hangs, and it has said nothing since. */
function isHung({ screen }: Facts, { last }: Progress): boolean {
  return screen?.hungSince !== undefined && last <= screen.hungSince + SETTLING;
}

/** What came in last is drawn a moment later. */
const SETTLING = 5_000;

/** Row 6: something new within the limit of its context. With promised beats overdue it is late, never dead. */
export const progressRow: Row = ({ facts, limits, rule, now, trust, lasting }) => {
  const progress = progressOf(facts);
  if (progress === undefined) return undefined;
  const end = afterWatching(trust, progress.last, limits(progress.context).ms);
  if (now >= end || isHung(facts, progress)) return undefined;
  const { last } = progress;
  const why = `made progress ${ago(last, now, lasting)}`;
  const works = { state: "alive", reason: "working", why, at: last, next: end } as const;
  const { stamp } = facts;
  if (rule === undefined || stamp === undefined) return works;
  const { stretch, next } = at(outlook(rule, stamp, trust), now);
  if (stretch.says === "fresh" || stretch.says === "excused") return { ...works, next: Math.min(end, next) };
  const silence = forSpan(stamp, now, lasting);
  const late = { state: "late", at: stretch.from, next: end } as const;
  // Where the last thing that it said is the beat itself, it is not seen to work.
  return last > stamp
    ? { ...late, reason: "works-without-beats", why: `working (${why}), but no beat ${silence}` }
    : { ...late, reason: "overdue", why: `no beat ${silence}; ${sayRule(rule)}` };
};

/** Row 7: it is there, but nothing new was said beyond the limit of its context. */
export const stallRow: Row = ({ facts, limits, now, trust, lasting }) => {
  const progress = progressOf(facts);
  if (progress === undefined) return undefined;
  const { hungSince } = facts.screen ?? {};
  if (hungSince !== undefined && isHung(facts, progress)) {
    const why = `hangs: nothing received over its connections ${forSpan(hungSince, now, lasting)}, which always carried something`;
    return { state: "stalled", reason: "spinning", why, at: hungSince, next: NEVER };
  }
  const limit = limits(progress.context);
  const silence = forSpan(progress.last, now, lasting);
  return {
    state: "stalled",
    reason: progress.looks,
    why: `${HOW[progress.looks] ?? "no progress"} ${silence}; limit ${sayLimit(limit)}`,
    at: afterWatching(trust, progress.last, limit.ms),
    next: NEVER,
  };
};

const HOW: Partial<Record<Reason, string>> = {
  spinning: "the screen moves, but no progress",
  looping: "repeating itself",
  retrying: "retrying without success",
};

function sayLimit({ ms, from, gaps }: Limit): string {
  const how = from === "learnt" ? `learnt from ${gaps} gaps` : from;
  return `${sayDuration(ms)} (${how})`;
}

/** Row 5: it used more than its budget allows. A stall is the worse trouble. */
export const budgetRow: Row = (hearing) => {
  const { budget } = hearing.facts;
  if (budget?.over === undefined) return undefined;
  if (progressRow(hearing) === undefined && stallRow(hearing) !== undefined) return undefined;
  return { state: "failing", reason: "over-budget", why: budget.over, at: budget.at, next: NEVER };
};

/** Row 8: its turn is over. That is rest, unless work or a cycle is recorded as under way. */
export const idleRow: Row = ({ facts, now, trust, lasting }) => {
  const { screen, work } = facts;
  if (screen?.reading !== "idle") return undefined;
  const idle = forSpan(screen.at, now, lasting);
  const rest = {
    state: "resting",
    reason: "idle",
    why: `idle ${idle} (turn finished)`,
    at: screen.at,
  } as const;
  const underWay = Math.min(work?.open === true ? work.at : NEVER, openCycle(facts)?.at ?? NEVER);
  if (underWay === NEVER) return { ...rest, next: NEVER };
  const stalls = afterWatching(trust, Math.max(screen.at, underWay), IDLE_WITH_WORK);
  if (now < stalls) return { ...rest, next: stalls };
  return {
    state: "stalled",
    reason: "idle-with-work",
    why: `idle ${idle}, but work is in progress`,
    at: stalls,
    next: NEVER,
  };
};
