import { type Instant, MINUTE } from "../core/duration.ts";
import type { AskedStep } from "../core/host/command.ts";
import { type Ladder, mayEnd, type Step } from "../core/recovery/ladder.ts";
import { aimAt, type Recovery } from "../core/recovery/recovery.ts";
import { missingStep, type NextStep } from "../core/recovery/words.ts";
import type { Acted, Recoverer } from "../ports/recovery.ts";
import type { RollReader } from "./reader.ts";
import type { Watcher } from "./watcher.ts";

/** What a person may ask for: a step that the config declares for this agent, taken now. */
export const HAND_STEPS = ["nudge", "restart", "wake"] as const;
export type HandStep = (typeof HAND_STEPS)[number];

export interface ByHandOptions {
  readonly watcher: Pick<Watcher, "persist"> & { readonly reader: Pick<RollReader, "place" | "verdict"> };
  readonly now: () => Instant;
  readonly lookAgain: (agent: string) => Promise<void>;
  readonly ladder: (agent: string) => Ladder;
  readonly open: (step: Step) => Recoverer;
}

/**
 * Takes one step because a person asked for it. Commands come from the config alone: what its ladder does not name cannot
 * be asked for. The step itself still refuses what must not be done: to type into what somebody types into, for example.
 */
export function byHand({ watcher, now, lookAgain, ladder, open }: ByHandOptions) {
  return async (agent: string, what: HandStep): Promise<Acted> => {
    const step = ladder(agent).find((each) => fits(each, what));
    if (step === undefined) return { outcome: "dropped", why: missingStep(what) };
    await lookAgain(agent);
    const place = watcher.reader.place(agent);
    if (place === undefined) return { outcome: "dropped", why: "it is no longer on the roll" };
    const verdict = watcher.reader.verdict(place);
    const aim = aimAt(verdict, place.entry.observations);
    const key = `${agent}:by-hand:${what}:${now()}`;
    const began: Recovery = {
      ...{ id: key, incident: "by-hand", agent, do: step.do, step: ladder(agent).indexOf(step), aim },
      ...{ state: "acting", why: "requested by hand", plannedAt: now(), startedAt: now() },
    };
    // It is on record before it is taken, and never counts as one of ours.
    await watcher.persist({ recoveries: [{ recovery: began, counts: false }] });
    const order = { key, incident: "by-hand", agent: place.agent, aim, why: began.why };
    const memories = place.entry.memories ?? {};
    const acted = await open(step).act({ ...order, memories }, AbortSignal.timeout(MINUTE));
    const why =
      acted.outcome === "done" ? acted.note : acted.outcome === "failed" ? acted.problem : acted.why;
    const over: Recovery = { ...began, state: acted.outcome, why: `by hand: ${why}`, endedAt: now() };
    await watcher.persist({ recoveries: [{ recovery: over, counts: false }] });
    return acted;
  };
}

/** The step that is next for an agent, if a person may ask for it; else why not. */
export function nextByHand(
  agent: string,
  next: NextStep | undefined,
): { readonly step: AskedStep } | { readonly why: string } {
  const { step, why } = next ?? { step: undefined, why: "it is well" };
  if (step === undefined) return { why: `no step for "${agent}": ${why}` };
  if (step === "nudge" || step === "restart") return { step };
  return { why: `the next step of "${agent}" is ${step}, which is not taken by hand` };
}

/** The steps that a person may ask for with this ladder. */
export function handStepsOf(ladder: Ladder): readonly HandStep[] {
  return HAND_STEPS.filter((what) => ladder.some((step) => fits(step, what)));
}

/** Whether the restart that a person may ask for ends a process that still runs; without that it refuses. */
export function restartEnds(ladder: Ladder): boolean {
  const step = ladder.find((each) => fits(each, "restart"));
  return step !== undefined && mayEnd(step);
}

function fits(step: Step, what: HandStep): boolean {
  if (what === "wake") return step.do === "restart" && step.with.by === "run";
  return step.do === what;
}
