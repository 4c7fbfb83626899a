import type { Millis } from "../core/duration.ts";
import type { HeartbeatAction } from "./action.ts";
import { ActionScheduler, type SchedulerOptions } from "./action-scheduler.ts";
import type { ActionOptions } from "./options.ts";

/** Runs actions at a pace. Give it an `ActionScheduler` to share one timer and one store with others. */
export class HeartbeatScheduler {
  readonly #engine: ActionScheduler;

  constructor(engine: ActionScheduler | SchedulerOptions = {}) {
    this.#engine = engine instanceof ActionScheduler ? engine : new ActionScheduler(engine);
  }

  /** Runs an action at the multiples of its interval since 1970 (UTC): every 5 minutes is at :00, :05 and so on. */
  registerAction(action: HeartbeatAction, intervalMs: Millis, options: ActionOptions = {}): void {
    this.#engine.add(action, { every: intervalMs }, options);
  }

  start(): Promise<void> {
    return this.#engine.start();
  }

  /** Tells what runs to stop and waits for it, for a bounded time. */
  stop(): Promise<void> {
    return this.#engine.stop();
  }
}
