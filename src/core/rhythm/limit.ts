// How long a silence of an agent may last before it is a stall, and why just so long.
import { learnt } from "./memory.ts";
import { DEFAULT_PRIOR, type Prior } from "./prior.ts";
import type { GapContext, Rhythm } from "./rhythm.ts";

/** Unless it is fixed, no limit is shorter than two minutes, however quick the agent, or longer than 4.5 h. */
export const FLOOR = 2 * 60_000;
export const CEILING = 4.5 * 3_600_000;

export type Terms = {
  readonly now: number;
  /** The margin of the agent's group, see adjust. */
  readonly margin: number;
  readonly prior?: Prior;
  /** `auto` learns the limit; a number of milliseconds fixes it, beyond floor and ceiling if need be. */
  readonly stall?: "auto" | number;
};

export type RhythmLimit = {
  /** The silence allowed since the last activity, announced wait included: the deadline is last + ms. */
  readonly ms: number;
  readonly announced: number;
  readonly from: "learnt" | "prior" | "fixed" | "floor" | "ceiling";
  /** How many gaps of this context the agent has shown within its memory. */
  readonly gaps: number;
};

/**
 * limit = clamp(max(learnt, prior), floor, ceiling) + announced wait. The prior counts only while the memory
 * of the context is young. An idle agent has no limit (null), because nothing is expected of it.
 */
export function limit(rhythm: Rhythm, terms: Terms): RhythmLimit | null {
  return rhythm.context === "idle" ? null : limitIn(rhythm, rhythm.context, terms);
}

/** The limit that holds for an agent while it is in this context. */
export function limitIn(rhythm: Rhythm, context: GapContext, terms: Terms): RhythmLimit {
  const { announced } = rhythm;
  const { now, margin, prior = DEFAULT_PRIOR, stall = "auto" } = terms;
  const { ms: own, gaps, young } = learnt(rhythm.memory[context], now, margin);
  const say = (ms: number, from: RhythmLimit["from"]): RhythmLimit => ({
    ms: ms + announced,
    announced,
    from,
    gaps,
  });
  if (stall !== "auto") return say(stall, "fixed");
  const borrowed = young ? prior[context] : 0;
  const wanted = Math.max(own, borrowed);
  if (wanted < FLOOR) return say(FLOOR, "floor");
  if (wanted > CEILING) return say(CEILING, "ceiling");
  return say(wanted, borrowed > own ? "prior" : "learnt");
}
