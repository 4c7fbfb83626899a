import { type Instant, type Millis, SECOND } from "../duration.ts";
import type { Hearing, Row } from "./case.ts";
import { at, outlook } from "./outlook.ts";
import { forSpan } from "./times.ts";
import { afterWatching } from "./trust.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** A script may record the work first and start the session a moment later. */
const START: Millis = 30 * SECOND;

/**
 * Row 3: work is recorded as under way, but the session or process that should do it never was there. The record alone
 * is no sign of life, so it neither keeps the agent alive nor makes it stall. Any sign of the agent itself (a beat in
 * time, another signal that sees it, work that is being updated) means that only the name in the config is wrong.
 */
export const orphanRow: Row = (hearing) => {
  const { facts, now, trust, lasting } = hearing;
  const { work, presence, screen, degraded } = facts;
  const absent = degraded.find((fact) => fact.absent === true);
  if (absent === undefined || work?.open !== true) return undefined;
  if (presence !== undefined || screen !== undefined || showsLife(hearing, work.at)) return undefined;
  const due = afterWatching(trust, work.at, START);
  const what = `work in progress ${forSpan(work.at, now, lasting)}, but ${absent.problem}`;
  if (now >= due) return { state: "dead", reason: "orphan", why: what, at: due, next: NEVER };
  return {
    state: "unknown",
    reason: "not-watched",
    why: `${what}; it may still start`,
    at: work.at,
    next: due,
  };
};

function showsLife({ facts, rule, limits, now, trust }: Hearing, recordedAt: Instant): boolean {
  const { stamp, trace, work } = facts;
  if (stamp !== undefined) {
    if (
      rule === undefined ? stamp >= recordedAt : at(outlook(rule, stamp, trust), now).stretch.says !== "dead"
    )
      return true;
  }
  const last = Math.max(trace?.at ?? -NEVER, work?.updatedAt ?? -NEVER);
  return last !== -NEVER && now < afterWatching(trust, last, limits(trace?.context ?? "unknown").ms);
}
