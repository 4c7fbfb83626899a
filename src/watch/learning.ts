import type { Millis } from "../core/duration.ts";
import type { Limits } from "../core/liveness/limits.ts";
import type { Context, Observation } from "../core/liveness/observation.ts";
import { type Trust, trusted } from "../core/liveness/trust.ts";
import { limitIn } from "../core/rhythm/limit.ts";
import { MARGIN } from "../core/rhythm/margin.ts";
import type { Norm } from "../core/rhythm/norm.ts";
import { DEFAULT_PRIOR } from "../core/rhythm/prior.ts";
import { activity, interrupt, type Rhythm } from "../core/rhythm/rhythm.ts";

/** What a fact teaches of an agent's rhythm. Silence ages only in trusted time, so gaps are measured in it. */
export function learn(rhythm: Rhythm | undefined, fact: Observation, trust: Trust): Rhythm | undefined {
  if (fact.kind === "gone") return rhythm === undefined ? undefined : interrupt(rhythm);
  if (fact.kind === "activity") {
    return activity(rhythm ?? null, { at: trusted(trust, fact.at), context: fact.context });
  }
  if (fact.kind !== "reading") return rhythm;
  if (fact.reading === "working" || fact.reading === "retrying") {
    return activity(rhythm ?? null, { at: trusted(trust, fact.progressAt), context: fact.context });
  }
  // It waits for somebody, or its turn is over: that silence is neither judged nor learnt.
  if (
    fact.reading === "idle" ||
    fact.reading === "waiting" ||
    fact.reading === "login" ||
    fact.reading === "limited"
  ) {
    return activity(rhythm ?? null, { at: trusted(trust, fact.at), context: "idle" });
  }
  return rhythm;
}

const CONTEXTS: readonly Context[] = ["model", "tool", "unknown"];

/** How long nothing new may be said in each context: learnt, or fixed by the config. */
export function limitsOf(rhythm: Rhythm, stall: Millis | undefined, now: Millis, norm?: Norm): Limits {
  const { margin = MARGIN.start, prior = DEFAULT_PRIOR } = norm ?? {};
  const terms = { now, margin, prior, stall: stall ?? ("auto" as const) };
  return (context) => limitIn(rhythm, context, terms);
}

/** What is normal for an agent, as readers see it. */
export interface RhythmView {
  readonly contexts: Readonly<
    Record<string, { limitMs: number; from: string; gaps: number; longest: readonly number[] }>
  >;
  readonly margin: number;
}

export function showRhythm(
  rhythm: Rhythm,
  stall: Millis | undefined,
  now: Millis,
  norm: Norm | undefined,
): RhythmView {
  const limits = limitsOf(rhythm, stall, now, norm);
  const contexts = CONTEXTS.map((context) => {
    const { ms: limitMs, from, gaps } = limits(context);
    const { current, previous } = rhythm.memory[context];
    const longest = [...current.gaps, ...previous.gaps].sort((a, b) => b - a).slice(0, 4);
    return [context, { limitMs, from, gaps, longest }];
  });
  return { contexts: Object.fromEntries(contexts), margin: norm?.margin ?? MARGIN.start };
}
