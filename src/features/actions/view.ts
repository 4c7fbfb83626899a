import { formatDuration, type Instant, iso, sayDuration } from "../../core/duration.ts";
import type { ScheduledAction } from "../../schedule/engine/action-scheduler.ts";
import { type ActionView, showRun } from "../../views/show.ts";
import { sayCron } from "./say-cron.ts";

/** An action as readers see it: its calendar in words, when it runs next, and how it went last. */
export function viewAction({ action, plan, state, enabled, running, next }: ScheduledAction): ActionView {
  const { schedule } = plan;
  const byCron = "cron" in schedule;
  return {
    name: action.name,
    description: action.description,
    schedule: byCron ? schedule.cron : `every ${formatDuration(schedule.every)}`,
    timezone: byCron ? schedule.timezone : "UTC",
    words: byCron ? sayCron(schedule.cron, schedule.timezone) : `every ${sayDuration(schedule.every)}`,
    enabled,
    running,
    nextAt: enabled && Number.isFinite(next) ? iso(next as Instant) : null,
    failures: state.failures,
    lastRun: state.lastRun === undefined ? null : showRun({ action: action.name, ...state.lastRun }),
  };
}
