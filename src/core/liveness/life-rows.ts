import { sayInstant } from "../duration.ts";
import { sayRule } from "../schedule/rule.ts";
import type { Row, RowFinding } from "./case.ts";
import { deafSince } from "./facts.ts";
import { newerLife } from "./lives.ts";
import type { Degraded, Gone } from "./observation.ts";
import { at, outlook } from "./outlook.ts";
import { ownError } from "./own-error.ts";
import { ago, forSpan } from "./times.ts";
import { FUTURE_TOLERANCE, lastBreakEnd } from "./trust.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** Row 1: an operator paused it. */
export const pausedRow: Row = ({ pausedAt: at }) =>
  at === undefined
    ? undefined
    : {
        state: "paused",
        reason: "paused",
        why: "paused by an operator; not judged until resumed",
        at,
        next: NEVER,
      };

/**
 * Row 2, for agents that promise no beats: we have not looked since our watch broke, so we cannot tell. (For
 * those that promise beats the beat rule itself knows what we did not watch.)
 */
export const unlookedRow: Row = (hearing) => {
  const { rule, facts, addedAt, trust, now } = hearing;
  const broken = lastBreakEnd(trust, now);
  if (rule !== undefined || broken === undefined || facts.looked >= broken) return undefined;
  // After the end of its cycle there is nothing to look at: the end itself is the last word.
  if (facts.ended !== undefined && facts.ended.at >= facts.looked) return undefined;
  // A break that was over before it was added is none of its own.
  if (addedAt >= broken && addedAt <= now) return undefined;
  // What it sends waits for us, so an error stays its last word.
  if (ownError(hearing) !== undefined) return undefined;
  const since = `since Rollcall began to watch again at ${sayInstant(broken)}`;
  const [unread] = facts.degraded;
  return {
    state: "unknown",
    reason: "not-watched",
    why:
      unread !== undefined && unread.at >= broken
        ? `could not be checked ${since}: ${unread.problem}`
        : `not checked ${since}`,
    at: broken,
    next: NEVER,
  };
};

/** Row 3: this incarnation ended without a clean end, and no newer one has shown itself. */
export const goneRow: Row = ({ facts, now, lasting }) => {
  const { gone, lastBeat, ended, work } = facts;
  if (gone === undefined || newerLife(facts, gone)) return undefined;
  const orphan = work?.open === true && work.at <= gone.seenAt;
  if (gone.clean && !orphan) return undefined;
  const exit = sayExit(gone);
  // The beat with which a wrapper tells of the end is not one that goes on.
  if (lastBeat !== undefined && lastBeat.at > gone.seenAt && lastBeat.at !== ended?.at) {
    return {
      state: "dead",
      reason: "beats-without-process",
      why: `beats continue although its process is gone${exit}`,
      at: gone.at,
      next: NEVER,
    };
  }
  if (gone.signal === "http" && !orphan) {
    const why = `its address ${gone.exit ?? "does not answer"}; failing ${forSpan(gone.at, now, lasting)}`;
    return { state: "dead", reason: "no-answer", why, at: gone.at, next: NEVER };
  }
  const why = orphan
    ? `work in progress, but its session is gone${exit}`
    : `its process ended unexpectedly${exit}; last seen ${ago(gone.at, now, lasting)}`;
  // Work that was recorded after the session had gone was an orphan from its beginning.
  const at = orphan ? Math.max(gone.at, work.at) : gone.at;
  return { state: "dead", reason: orphan ? "orphan" : "exited", why, at, next: NEVER };
};

function sayExit({ exit, unproven }: Gone): string {
  const said = [exit, unproven === true ? "reported without a token" : undefined].filter(
    (each) => each !== undefined,
  );
  return said.length === 0 ? "" : ` (${said.join("; ")})`;
}

/** Row 10: registered and never heard; after one watched dead-after that is a death. */
export const neverRow: Row = ({ rule, facts, addedAt, now, trust, lasting }) => {
  if (facts.stamp !== undefined || rule === undefined) return undefined;
  // If it was registered in the future, the clock was set back: its chance begins with that. Work that it recorded shows that
  // it was there, so the chance to beat begins anew when that work is done.
  const registered = addedAt > now + FUTURE_TOLERANCE ? (lastBreakEnd(trust, now) ?? addedAt) : addedAt;
  const since = Math.max(registered, facts.work?.at ?? registered);
  const { stretch, next } = at(neverOutlook(rule, since, trust), now);
  const added = ago(addedAt, now, lasting);
  if (stretch.says === "dead") {
    const deaf = deafSince(facts);
    if (deaf !== undefined) return unreadable(deaf);
    return {
      state: "dead",
      reason: "never-heard",
      why: `no beat since it was registered ${added}; ${sayRule(rule)}`,
      at: stretch.from,
      next: NEVER,
    };
  }
  return {
    state: "new",
    reason: "registered",
    why: `registered ${added}, no beat yet; ${sayRule(rule)}`,
    at: addedAt,
    next,
  };
};

/**
 * Row 10, for agents that promise no beats: to be there, or to have been heard, is enough. Where something is
 * known that cannot be used (a broken signal, a date in the future) we cannot tell.
 */
export const unpromisedRow: Row = ({ facts, addedAt, now, lasting }) => {
  const { presence, lastBeat, basis, degraded } = facts;
  if (presence !== undefined) {
    return {
      state: "alive",
      reason: "present",
      why: "present; no beats are expected",
      at: presence.at,
      next: NEVER,
    };
  }
  if (lastBeat !== undefined) {
    const why = `beat ${ago(lastBeat.at, now, lasting)}; no beats are expected`;
    return { state: "alive", reason: "beat", why, at: lastBeat.at, next: NEVER };
  }
  if (basis !== 0 || degraded.length > 0) return undefined;
  const why = `registered ${ago(addedAt, now, lasting)}, no sign of life yet`;
  return { state: "new", reason: "registered", why, at: addedAt, next: NEVER };
};

/** Silence proves nothing where beats could not be read. */
export function unreadable({ at, problem }: Degraded): RowFinding {
  return {
    state: "unknown",
    reason: "not-watched",
    why: `overdue, but its beats cannot be read: ${problem}`,
    at,
    next: NEVER,
  };
}

/** Before the first beat there is only new and dead. */
function neverOutlook(...args: Parameters<typeof outlook>): ReturnType<typeof outlook> {
  return outlook(...args).filter(({ says }) => says === "fresh" || says === "dead");
}
