// What other programs import as `rollcall`.

export { DaemonManager, type DaemonManagerOptions, type DaemonStatus } from "./app/embedded/manager.ts";
export { PidFile } from "./app/embedded/pid-file.ts";
export type { Missed } from "./core/action/plan.ts";
export type {
  ActionChange,
  ActionState,
  Json,
  Outgoing,
  Run,
  RunOutcome,
  Said,
} from "./core/action/state.ts";
export { type CronExpression, formatCron, parseCron } from "./core/schedule/cron.ts";
export type { Task, TaskStatus } from "./core/task/task.ts";
export { DaemonError } from "./home/daemon-error.ts";
export { AlreadyRunningError } from "./home/pid-file.ts";
export type { PidRecord } from "./home/pid-record.ts";
export type { ActionStore, RunPage } from "./ports/action-store.ts";
export type { Clock } from "./ports/clock.ts";
export type { Log } from "./ports/log.ts";
export { type TaskSource, TaskSourceError } from "./ports/task-source.ts";
export {
  DailySummaryAction,
  type DailySummarySettings,
  PortfolioMonitorAction,
  type PortfolioMonitorSettings,
  type TaskContext,
  type TaskResult,
  TaskScanAction,
  type TaskScanSettings,
} from "./schedule/actions/tasks.ts";
export { CronScheduler } from "./schedule/cron-scheduler.ts";
export type {
  HeartbeatAction,
  HeartbeatContext,
  HeartbeatGateway,
  HeartbeatResult,
  HeartbeatRuntime,
  HeartbeatSession,
  TaskOperations,
} from "./schedule/engine/action.ts";
export {
  ActionScheduler,
  type ScheduledAction,
  type SchedulerOptions,
} from "./schedule/engine/action-scheduler.ts";
export { memoryActionStore } from "./schedule/engine/memory-store.ts";
export { ActionError, type ActionOptions } from "./schedule/engine/options.ts";
export { type HeartbeatOptions, HeartbeatScheduler } from "./schedule/heartbeat-scheduler.ts";
