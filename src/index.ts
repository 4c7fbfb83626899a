// What other programs import as `rollcall`.
export type { Json } from "./core/action/json.ts";
export type { Missed } from "./core/action/plan.ts";
export type { ActionChange, ActionState, Outgoing, Run, RunOutcome, Said } from "./core/action/state.ts";
export { type CronExpression, formatCron, parseCron } from "./core/schedule/cron-expression.ts";
export type { Task, TaskStatus } from "./core/task/task.ts";
export { DaemonManager, type DaemonManagerOptions, type DaemonStatus } from "./daemon/embedded/manager.ts";
export { PidFile } from "./daemon/embedded/pid-file.ts";
export { DaemonError } from "./daemon/manager.ts";
export { AlreadyRunningError, type PidRecord } from "./daemon/pid-file.ts";
export type {
  HeartbeatAction,
  HeartbeatContext,
  HeartbeatGateway,
  HeartbeatResult,
  HeartbeatRuntime,
  HeartbeatSession,
  TaskOperations,
} from "./heartbeat/action.ts";
export {
  ActionScheduler,
  type ScheduledAction,
  type SchedulerOptions,
} from "./heartbeat/action-scheduler.ts";
export {
  DailySummaryAction,
  type DailySummarySettings,
  PortfolioMonitorAction,
  type PortfolioMonitorSettings,
  type TaskContext,
  type TaskResult,
  TaskScanAction,
  type TaskScanSettings,
} from "./heartbeat/actions/tasks.ts";
export { CronScheduler } from "./heartbeat/cron-scheduler.ts";
export { type HeartbeatOptions, HeartbeatScheduler } from "./heartbeat/heartbeat-scheduler.ts";
export { memoryActionStore } from "./heartbeat/memory-store.ts";
export { ActionError, type ActionOptions } from "./heartbeat/options.ts";
export type { ActionStore, RunPage } from "./ports/action-store.ts";
export type { Clock } from "./ports/clock.ts";
export type { Log } from "./ports/log.ts";
export { type TaskSource, TaskSourceError } from "./ports/task-source.ts";
