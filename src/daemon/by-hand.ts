import { MINUTE } from "../core/duration.ts";
import type { Ladder, Step } from "../core/recovery/ladder.ts";
import { aimAt } from "../core/recovery/recovery.ts";
import type { Acted, Recoverer } from "../ports/recovery.ts";
import type { Watcher } from "../watch/watcher.ts";

/** What a person may ask for: a step that the config declares for this agent, taken now. */
export type HandStep = "nudge" | "restart" | "wake";

export interface ByHandOptions {
  readonly watcher: Watcher;
  readonly lookAgain: (agent: string) => Promise<void>;
  readonly ladder: (agent: string) => Ladder;
  readonly open: (step: Step) => Recoverer;
}

/**
 * Takes one step because a person asked for it. Commands come from the config alone: what its ladder does not name cannot
 * be asked for. The step itself still refuses what must not be done: to type into what somebody types into, for example.
 */
export function byHand({ watcher, lookAgain, ladder, open }: ByHandOptions) {
  return async (agent: string, what: HandStep): Promise<Acted> => {
    const step = ladder(agent).find((each) => fits(each, what));
    if (step === undefined) {
      const needed = what === "wake" ? "a restart step with run: true" : `a ${what} step`;
      return {
        outcome: "dropped",
        why: `its ladder (recover in the config) has no ${needed.replace(/^an? /, "")}`,
      };
    }
    await lookAgain(agent);
    const place = watcher.place(agent);
    if (place === undefined) return { outcome: "dropped", why: "it is not on the roll any more" };
    const verdict = watcher.verdict(place);
    return open(step).act(
      {
        key: `${agent}:by-hand:${what}:${verdict.at}`,
        incident: "by-hand",
        agent: place.agent,
        aim: aimAt(verdict, place.entry.observations),
        why: "somebody asked for it",
        memories: place.entry.memories ?? {},
      },
      AbortSignal.timeout(MINUTE),
    );
  };
}

function fits(step: Step, what: HandStep): boolean {
  if (what === "wake") return step.do === "restart" && "run" in step.with;
  return step.do === what;
}
