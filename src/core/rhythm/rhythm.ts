// The rhythm of one agent: when it was last active, what it has been doing since, and the longest gaps that
// its earlier doings had. It is a small JSON value of constant size, to be stored with the agent's state.
//
// All times are trusted time in milliseconds, which does not advance while nobody watched. That is why no gap
// here ever contains the watcher's own downtime, a suspend or a step of the wall clock.
import { EMPTY, type Memory, remember } from "./memory.ts";

/** What an agent does between two signs of activity. Gaps are learnt apart, because tools outlast thoughts. */
export type GapContext = "model" | "tool" | "unknown";

export type RhythmActivity = {
  readonly at: number;
  /**
   * What the agent does from this instant on. `idle` means that nothing is expected of it, because its turn is
   * over or it waits for a person; that silence is neither judged nor learnt.
   */
  readonly context: GapContext | "idle";
  /** How long a wait it announces at this instant, in milliseconds: a limit whose reset time is shown. */
  readonly announced?: number;
};

export type Rhythm = {
  readonly last: number;
  readonly context: GapContext | "idle";
  readonly announced: number;
  readonly memory: Readonly<Record<GapContext, Memory>>;
};

/** The longest limits that services set are weekly; a later reset time is a misreading, not a promise. */
const LONGEST_WAIT = 8 * 86_400_000;

const NO_MEMORY = { model: EMPTY, tool: EMPTY, unknown: EMPTY };

/** At one instant busy beats idle, known beats unknown, and the more patient context beats the other. */
const RANK = { idle: 0, unknown: 1, model: 2, tool: 3 } as const;

function wait(announced: number | undefined): number {
  return announced !== undefined && announced > 0 ? Math.min(announced, LONGEST_WAIT) : 0;
}

/** Facts of the same instant are joined, not ordered: any order and any repetition gives the same rhythm. */
function join(rhythm: Rhythm, { context, announced }: RhythmActivity): Rhythm {
  return {
    ...rhythm,
    context: RANK[context] > RANK[rhythm.context] ? context : rhythm.context,
    announced: Math.max(rhythm.announced, wait(announced)),
  };
}

/**
 * The incarnation has ended, or a recovery has ended its stall: the silence until its next activity is not its
 * rhythm. Learning it would make the limit longer with every death.
 */
export function interrupt(rhythm: Rhythm): Rhythm {
  return { ...rhythm, context: "idle", announced: 0 };
}

/**
 * Takes one sign of activity. gap = at − last − announced wait, never negative, belongs to what the agent was
 * doing before this instant. Activity older than the last one is a late delivery: it changes nothing.
 */
export function activity(rhythm: Rhythm | null, fact: RhythmActivity): Rhythm {
  const { at, context } = fact;
  if (rhythm === null) return { last: at, context, announced: wait(fact.announced), memory: NO_MEMORY };
  if (at === rhythm.last) return join(rhythm, fact);
  if (!(at > rhythm.last)) return rhythm;
  const next = { last: at, context, announced: wait(fact.announced), memory: rhythm.memory };
  if (rhythm.context === "idle") return next;
  const gap = Math.max(0, at - rhythm.last - rhythm.announced);
  const grown = remember(rhythm.memory[rhythm.context], gap, at);
  const { model, tool, unknown } = rhythm.memory;
  // Spelt out rather than spread with a computed key, because this runs for every activity of every agent.
  if (rhythm.context === "model") return { ...next, memory: { model: grown, tool, unknown } };
  if (rhythm.context === "tool") return { ...next, memory: { model, tool: grown, unknown } };
  return { ...next, memory: { model, tool, unknown: grown } };
}
