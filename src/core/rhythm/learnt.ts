// From what is remembered to how long a silence is still normal.
import { recall } from "./memory.ts";
import type { Context, Rhythm } from "./rhythm.ts";

/** For seven days an agent is young: a week holds the working days and the weekend once each. */
const YOUTH = 7 * 86_400_000;

/** Gaps whose longest exceeds the fourth longest by less than this were cut off by a time-out. */
const ALIKE = 1.05;

/** Nothing outlasts a time-out, so that one needs only this margin, for the slack of whoever enforces it. */
const TIME_OUT_MARGIN = 1.1;

export type Learnt = {
  /** 0 while fewer than four gaps were seen: that is not yet knowledge. */
  readonly ms: number;
  /** How many gaps of this context the agent has shown within its memory. */
  readonly gaps: number;
};

export function isYoung(rhythm: Rhythm, now: number): boolean {
  return now - rhythm.since < YOUTH;
}

/**
 * m · X, where X is the fourth longest gap, because three accidents in a month must not make the limit long; while
 * the agent is young, X is the longest, because a few days have shown too little to set anything aside. But if the
 * four longest are alike, a time-out has ended them, and min(m, 1.1) · longest is enough.
 */
export function learnt(rhythm: Rhythm, context: Context, now: number, margin: number): Learnt {
  const { longest, fourth, gaps } = recall(rhythm.memory[context], now);
  if (fourth === 0) return { ms: 0, gaps };
  if (longest < ALIKE * fourth) return { ms: Math.min(margin, TIME_OUT_MARGIN) * longest, gaps };
  return { ms: margin * (isYoung(rhythm, now) ? longest : fourth), gaps };
}
