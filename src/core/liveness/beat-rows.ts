import type { Rule } from "../agent.ts";
import { type Instant, SECOND, sayAgo, sayDuration, sayInstant } from "../duration.ts";
import { fairChance, sayRule } from "../schedule/rule.ts";
import type { Hearing, Row, RowFinding } from "./case.ts";
import { deafSince, type Facts } from "./facts.ts";
import { unreadable } from "./life-rows.ts";
import { newerLife, openCycle } from "./lives.ts";
import { at, outlook, type Stretch } from "./outlook.ts";
import { rivalHosts } from "./rivals.ts";
import { ago, forSpan } from "./times.ts";

const NEVER = Number.POSITIVE_INFINITY;

/**
 * Row 9, asked first: a run that was begun must end by the time at which the next sign of life is expected. The signs
 * of other runs say nothing of it, so that a hung one does not hide behind them.
 */
export const runRow: Row = ({ facts, rule, now, trust, lasting }) => {
  const since = facts.runs?.openSince;
  if (since === undefined || rule === undefined) return undefined;
  const { stretch, next } = at(outlook(rule, since, trust), now);
  if (stretch.says !== "late" && stretch.says !== "dead") return undefined;
  return {
    state: stretch.says,
    reason: "run-overdue",
    why: `a run began ${ago(since, now, lasting)} and has not ended; ${sayRule(rule)}`,
    at: stretch.from,
    next,
  };
};

/** When the oldest run under way must be asked about again. */
export function runIsDue({ facts, rule, now, trust }: Hearing): Instant {
  const since = facts.runs?.openSince;
  return since === undefined || rule === undefined ? NEVER : at(outlook(rule, since, trust), now).next;
}

/** Row 3: its cycle, work or process ended cleanly. It rests until the beat rule says that it did not wake. */
export const restingRow: Row = (hearing) => {
  const { facts, rule, now, trust, lasting } = hearing;
  const end = cleanEnd(hearing);
  if (end === undefined) return undefined;
  const ended = ago(end.at, now, lasting);
  const rests: RowFinding = {
    state: "resting",
    reason: "ended",
    why: `${end.what} ${end.how} ${ended}`,
    at: end.at,
    next: NEVER,
  };
  if (rule === undefined) return rests;
  const { stretch, next } = at(outlook(rule, Math.max(end.at, facts.stamp ?? end.at), trust), now);
  if (stretch.says === "fresh") return { ...rests, next };
  if (stretch.says === "excused") return excused(hearing, stretch, next, rule);
  return {
    state: stretch.says,
    reason: "did-not-wake",
    why: `did not wake: ${end.what} ended ${ended}; ${sayRule(rule)}`,
    at: stretch.from,
    next,
  };
};

/** The clean end of the present life (its cycle ended, its work is done, or status 0), if nothing is newer. */
function cleanEnd({ facts }: Hearing): { at: Instant; what: string; how: string } | undefined {
  const { ended, gone, lastBeat, work, runs } = facts;
  if (runs?.openSince !== undefined) return undefined;
  const beatsUntil = (end: Instant) => lastBeat === undefined || lastBeat.at <= end;
  if (ended?.ok === true && beatsUntil(ended.at) && !newerLife(facts, ended)) {
    const how = ended.stopped === undefined ? "ended cleanly" : `was stopped (${ended.stopped})`;
    return { at: ended.at, what: ended.cycle === undefined ? "its cycle" : `cycle ${ended.cycle}`, how };
  }
  if (gone === undefined || !beatsUntil(gone.seenAt) || newerLife(facts, gone)) return undefined;
  const done = work?.open === false && openCycle(facts) === undefined && !wentOn(facts, work.at);
  return (gone.clean && work?.open !== true) || done
    ? { at: gone.at, what: gone.signal === "log" ? "its session" : "its process", how: "ended cleanly" }
    : undefined;
}

/** An agent that says that its work is done writes its last words a moment later. */
const LAST_WORDS = 15 * SECOND;

/** After its work was done it did something else: then its end is not the end of that work. */
function wentOn({ screen, trace }: Facts, doneAt: Instant): boolean {
  if (screen?.reading === "idle") return false;
  const did = [screen?.at, screen?.progressAt, trace?.at].filter((at) => at !== undefined);
  return did.some((at) => at > doneAt + LAST_WORDS);
}

/** Row 9, and row 10 for fresh beats: what the promise to beat says. */
export const beatRow: Row = (hearing) => {
  const { rule, facts, now, trust, lasting } = hearing;
  if (rule === undefined) return undefined;
  const { stamp, futureStamp: ahead } = facts;
  if (stamp === undefined) return ahead === undefined ? undefined : futureStamp(hearing, rule, ahead);
  const { stretch, next } = at(outlook(rule, stamp, trust), now);
  if (stretch.says !== "fresh" && ahead !== undefined) return futureStamp(hearing, rule, ahead);
  if (stretch.says === "dead") {
    const deaf = deafSince(facts);
    if (deaf !== undefined) return unreadable(deaf);
  }
  switch (stretch.says) {
    case "fresh":
      return fresh(hearing, rule, stamp, next);
    case "excused":
      return excused(hearing, stretch, next, rule);
    case "late":
      return {
        state: "late",
        reason: "overdue",
        why: `no beat ${forSpan(stamp, now, lasting)}; ${sayRule(rule)}`,
        at: stretch.from,
        next,
      };
    case "dead":
      return {
        state: "dead",
        reason: "no-beat",
        why: `no beat ${forSpan(stamp, now, lasting)}; ${sayRule(rule)}`,
        at: stretch.from,
        next,
      };
  }
};

function fresh({ facts, now, lasting }: Hearing, rule: Rule, stamp: Instant, next: Instant): RowFinding {
  const heard = ago(stamp, now, lasting);
  const rivals = rivalHosts(facts.beats, now - fairChance(rule));
  if (rivals !== undefined) {
    const why = `beats come from two hosts, ${rivals[0]} and ${rivals[1]}: two agents use this id`;
    return { state: "alive", reason: "duplicate-id", why, at: stamp, next };
  }
  if (facts.lastBeat?.source === "wrapper") {
    const why = `its wrapper saw it running ${heard}`;
    return { state: "alive", reason: "wrapper-beat", why, at: stamp, next };
  }
  return { state: "alive", reason: "beat", why: `beat ${heard}; ${sayRule(rule)}`, at: stamp, next };
}

function excused({ now, lasting }: Hearing, stretch: Stretch, next: Instant, rule: Rule): RowFinding {
  const { watchedFrom = stretch.from } = stretch;
  const back = lasting ? sayInstant(watchedFrom) : sayAgo(now - watchedFrom);
  const until = Number.isFinite(next) ? `; it has until ${sayInstant(next)} to beat` : "";
  return {
    state: "unknown",
    reason: "not-watched",
    why: `overdue, but Rollcall was not watching until ${back}${until} (${sayRule(rule)})`,
    at: stretch.from,
    next,
  };
}

/**
 * A stamp from the future is not believed: what is certain is only that nothing has been heard since we noticed.
 * From then on it has one whole chance, as after a break of the watch.
 */
function futureStamp(
  { previous, facts, trust, now, lasting }: Hearing,
  rule: Rule,
  stamp: Instant,
): RowFinding {
  const before = previous?.verdict;
  const known = before?.reason === "future-stamp" && before.basis === facts.basis;
  const noticed = known ? Math.min(before.at, now) : now;
  const dead = outlook(rule, noticed, trust).at(-1)?.from ?? NEVER;
  if (now >= dead) {
    return {
      state: "dead",
      reason: "no-beat",
      why: `no beat ${forSpan(noticed, now, lasting)}, and its last timestamp was in the future; ${sayRule(rule)}`,
      at: dead,
      next: NEVER,
    };
  }
  return {
    state: "unknown",
    reason: "future-stamp",
    why: lasting
      ? `its last timestamp, ${sayInstant(stamp)}, was in the future and is ignored; check the clocks`
      : `its last timestamp is ${sayDuration(stamp - now)} in the future and is ignored; check the clocks`,
    at: noticed,
    next: dead,
  };
}
