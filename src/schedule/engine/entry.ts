import type { ActionState, Run } from "../../core/action/state.ts";
import type { Instant } from "../../core/duration.ts";
import type { HeartbeatAction } from "./action.ts";
import type { Attempt } from "./attempt.ts";
import type { SettledOptions } from "./options.ts";

/** An action with what is known of it. `line`: whatever changes its state happens one after the other. */
export interface Entry {
  readonly action: HeartbeatAction;
  readonly settled: SettledOptions;
  state: ActionState;
  at: Instant;
  attempt: Attempt<unknown> | undefined;
  ended: Promise<Run | undefined>;
  line: Promise<unknown>;
  gone: boolean;
}

/** From a start to its stop. What belongs to a life that is over changes nothing any more. */
export interface Life {
  readonly stopping: AbortController;
  over: boolean;
  stopped?: Promise<void>;
}
