import { HOUR, MINUTE, type Millis } from "../src/core/duration.ts";

/** In every so many-th seed everything happens within a quarter of a day. */
const HURRIED = 8;

/**
 * By how much the lengths of a seed's world are stretched: its life, the rules of its agents, and what happens to them. What
 * the product waits for is not. So most seeds last for a day and more, and some are crowded.
 */
export function stretchOf(seed: number): number {
  return seed % HURRIED === 0 ? 1 : 4;
}

/** How long a seed lives. */
export function lengthOf(seed: number): Millis {
  return stretchOf(seed) * (6 * HOUR + 30 * MINUTE);
}
