// What is allowed to an agent that is too young to be known: the limits of its elders, that is of the agents
// of the same role or group, or else cautious defaults.
import { learnt } from "./memory.ts";
import type { GapContext, Rhythm } from "./rhythm.ts";

const MINUTE = 60_000;

/** The limit of each context in milliseconds. */
export type Prior = Readonly<Record<GapContext, number>>;

export const DEFAULT_PRIOR: Prior = { model: 15 * MINUTE, tool: 60 * MINUTE, unknown: 45 * MINUTE };

/** The median of the elders' limits; a context in which there are no elders keeps its default. */
export function priorOf(role: readonly Rhythm[], now: number, margin: number): Prior {
  const median = (context: GapContext): number => {
    const elders = role
      .map(({ memory }) => learnt(memory[context], now, margin))
      .filter(({ young }) => !young);
    const limits = elders.map(({ ms }) => ms).sort((a, b) => a - b);
    return limits[Math.floor(limits.length / 2)] ?? DEFAULT_PRIOR[context];
  };
  return { model: median("model"), tool: median("tool"), unknown: median("unknown") };
}
