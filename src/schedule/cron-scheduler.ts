import { type CronExpression, formatCron } from "../core/schedule/cron.ts";
import type { HeartbeatAction } from "./engine/action.ts";
import { ActionScheduler, type SchedulerOptions } from "./engine/action-scheduler.ts";
import type { ActionOptions } from "./engine/options.ts";
import type { ContextOf } from "./engine/surroundings.ts";

/** Runs actions by the calendar. Give it an `ActionScheduler` to share one timer and one store with others. */
export class CronScheduler<Gateway = unknown, Runtime = unknown, Session = unknown, Logger = unknown> {
  readonly #engine: ActionScheduler;

  constructor(engine: ActionScheduler | SchedulerOptions<Gateway, Runtime, Session, Logger> = {}) {
    this.#engine =
      engine instanceof ActionScheduler ? engine : new ActionScheduler(engine as SchedulerOptions);
  }

  /**
   * Five fields, six with seconds first, or a nickname such as `@daily`; `L`, `W` and `#` are understood. Throws an
   * `ActionError` for a name that is taken (`duplicate-action`) and for a calendar that makes no sense (`bad-schedule`).
   */
  schedule(
    action: HeartbeatAction<ContextOf<Gateway, Runtime, Session, Logger>>,
    cronExpr: string | CronExpression,
    options: ActionOptions = {},
  ): void {
    const cron = typeof cronExpr === "object" && cronExpr !== null ? formatCron(cronExpr) : String(cronExpr);
    this.#engine.add(action as unknown as HeartbeatAction, { cron }, options);
  }

  /** False if there is no such action. A run that is under way is told to stop. */
  unschedule(name: string): boolean {
    return this.#engine.remove(name);
  }

  start(): Promise<void> {
    return this.#engine.start();
  }

  /** Tells what runs to stop and waits for it, for a bounded time. */
  stop(): Promise<void> {
    return this.#engine.stop();
  }
}
