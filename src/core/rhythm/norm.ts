// What holds for all agents of a group: the margin by which its limits exceed what was learnt, and the limits of
// its elders, which the young borrow.
import { adjust, MARGIN } from "./margin.ts";
import { DEFAULT_PRIOR, type Prior, priorOf } from "./prior.ts";
import type { Rhythm } from "./rhythm.ts";

const DAY = 86_400_000;

/** The norm of one group, a small JSON value. Its times are trusted time. */
export type Norm = {
  readonly group: string;
  readonly margin: number;
  readonly prior: Prior;
  /** When the running day began, and how many alarms have ended by themselves since. */
  readonly since: number;
  readonly falseAlarms: number;
};

export function newNorm(group: string, now: number): Norm {
  return { group, margin: MARGIN.start, prior: DEFAULT_PRIOR, since: now, falseAlarms: 0 };
}

/** A stall that ended by itself: the agent was only slower than we allowed. */
export function withFalseAlarm(norm: Norm): Norm {
  return { ...norm, falseAlarms: norm.falseAlarms + 1 };
}

/** Whether a day has passed since the margin was last steered. A clock set back begins the day anew. */
export function dayIsOver({ since }: Norm, now: number): boolean {
  return now - since >= DAY || now < since - DAY;
}

/** The norm of the day that begins at `now`, from how yesterday went and what the agents of the group have learnt. */
export function steered(norm: Norm, rhythms: readonly Rhythm[], now: number): Norm {
  const days = Math.max(0, Math.min(7, (now - norm.since) / DAY));
  const margin = adjust(norm.margin, norm.falseAlarms, rhythms.length, days);
  return { group: norm.group, margin, prior: priorOf(rhythms, now, margin), since: now, falseAlarms: 0 };
}
