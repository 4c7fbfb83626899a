import type { Agent } from "../core/agent.ts";
import type { Aim } from "../core/recovery/recovery.ts";

/** On whom a step is taken. */
export interface Target {
  /** The same if a watcher that was killed takes the step again: whoever sees it twice has seen one step twice. */
  readonly key: string;
  readonly incident: string;
  readonly agent: Agent;
  readonly aim: Aim;
  /** Why we think so, for people. */
  readonly why: string;
  /** What its signals remember, by signal: which pane is followed, for example. */
  readonly memories: Readonly<Record<string, unknown>>;
}

/** What came of a step as far as it can be told at once. Whether it helped is told by the next observation. */
export type Acted =
  | { readonly outcome: "done"; readonly note: string }
  | { readonly outcome: "failed"; readonly problem: string }
  /** Nothing was done, because it must not be: somebody types, the process lives, another one is there. */
  | { readonly outcome: "dropped"; readonly why: string };

/** Takes one kind of step. It never throws for what the agent or the system does, and leaves nothing half done. */
export interface Recoverer {
  act(target: Target, abort: AbortSignal): Promise<Acted>;
}
