// From what is remembered to how long a silence is still normal.
import { type Memory, recall } from "./memory.ts";

/** Gaps whose longest exceeds the fourth longest by less than this were cut off by a time-out. */
const ALIKE = 1.05;

/** Nothing outlasts a time-out, so that one needs only this margin, for the slack of whoever enforces it. */
const TIME_OUT_MARGIN = 1.1;

type Learnt = { readonly ms: number; readonly gaps: number; readonly young: boolean };

/**
 * m · X, where X is the fourth longest gap, because three accidents in a month must not make the limit long;
 * while the memory is young, X is the longest, because a few days have shown too little to set anything aside.
 * But if the four longest are alike, a time-out has ended them, and min(m, 1.1) · longest is enough.
 */
export function learnt(memory: Memory, now: number, margin: number): Learnt {
  const { longest, fourth, gaps, young } = recall(memory, now);
  if (longest < ALIKE * fourth) return { ms: Math.min(margin, TIME_OUT_MARGIN) * longest, gaps, young };
  return { ms: margin * (young ? longest : fourth), gaps, young };
}
