import { DailySummaryAction, PortfolioMonitorAction, TaskScanAction } from "./actions/tasks.ts";

/** When the actions of tasks run if nobody says otherwise. */
export const TASK_SCHEDULES = {
  "task-scan": "*/5 * * * *",
  "daily-summary": "0 9 * * *",
  "portfolio-monitor": "0 * * * *",
} as const;

/** The actions that a scheduler has by default. They are skipped as long as there is no source of tasks. */
export function taskActions() {
  return [new TaskScanAction(), new DailySummaryAction({ always: false }), new PortfolioMonitorAction()];
}
