import type { Millis } from "../core/duration.ts";
import { TASK_SCHEDULES, taskActions } from "./built-in.ts";
import type { HeartbeatAction } from "./engine/action.ts";
import { ActionScheduler, type SchedulerOptions } from "./engine/action-scheduler.ts";
import type { ActionOptions } from "./engine/options.ts";
import type { ContextOf } from "./engine/surroundings.ts";

export interface HeartbeatOptions<Gateway, Runtime, Session, Logger>
  extends SchedulerOptions<Gateway, Runtime, Session, Logger> {
  /** False leaves out task-scan, daily-summary and portfolio-monitor. */
  readonly builtIn?: boolean;
}

/**
 * Runs actions at a pace, and the actions of tasks that the program did not register itself. Give it an
 * `ActionScheduler` to share one timer and one store with others; then it has no actions by default.
 */
export class HeartbeatScheduler<Gateway = unknown, Runtime = unknown, Session = unknown, Logger = unknown> {
  readonly #engine: ActionScheduler;
  readonly #builtIn: boolean;

  constructor(engine: ActionScheduler | HeartbeatOptions<Gateway, Runtime, Session, Logger> = {}) {
    const isShared = engine instanceof ActionScheduler;
    this.#engine = isShared ? engine : new ActionScheduler(engine as SchedulerOptions);
    this.#builtIn = !isShared && engine.builtIn !== false;
  }

  /**
   * Runs an action at the multiples of its interval since 1970 (UTC): every 5 minutes is at :00, :05 and so on. Throws
   * an `ActionError` for a name that is taken (`duplicate-action`) and for an interval under 1 ms (`bad-option`).
   */
  registerAction(
    action: HeartbeatAction<ContextOf<Gateway, Runtime, Session, Logger>>,
    intervalMs: Millis,
    options: ActionOptions = {},
  ): void {
    this.#engine.add(action as unknown as HeartbeatAction, { every: intervalMs }, options);
  }

  /** Begins. Before that, it registers the built-in actions whose names are free. */
  start(): Promise<void> {
    const taken = new Set(this.#engine.list().map(({ action }) => action.name));
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const action of this.#builtIn ? taskActions() : []) {
      if (!taken.has(action.name))
        this.#engine.add(action, { cron: TASK_SCHEDULES[action.name] }, { timezone });
    }
    return this.#engine.start();
  }

  /** Tells what runs to stop and waits for it, for at most the grace (5 s). */
  stop(): Promise<void> {
    return this.#engine.stop();
  }
}
