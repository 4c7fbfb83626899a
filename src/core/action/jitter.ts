import type { Instant, Millis } from "../duration.ts";

/**
 * How much later than its due instant an action runs: from 0 to before `most`, spread evenly over names and
 * instants. It is a function of both alone, so that a restart comes to the same moment.
 */
export function jitter(action: string, dueAt: Instant, most: Millis): Millis {
  if (most <= 0) return 0;
  // FNV-1a, and a last mix because its low bits hardly feel the last characters.
  let hash = 0x811c9dc5;
  for (const character of `${action}\n${dueAt}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * most);
}
