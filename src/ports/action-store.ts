import type { ActionChange, ActionState, Run } from "../core/action/state.ts";
import type { Instant } from "../core/duration.ts";

/**
 * Where the state of actions lives. `commit` is durable and whole: a run, what it changes and what it says are one.
 * A run replaces the one with its action and id; a message whose key was ever queued before is not queued again.
 */
export interface ActionStore {
  load(): Promise<readonly ActionState[]>;
  commit(change: ActionChange): Promise<void>;
  /** Newest due instant first; of a run and its repetition, which have one instant, the repetition. */
  runs(action: string, page: RunPage): Promise<readonly Run[]>;
}

export interface RunPage {
  readonly limit: number;
  /** Only runs that were due before. */
  readonly before?: Instant;
}
