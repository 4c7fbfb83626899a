// What other programs import as `rollcall`.
export type { Crash } from "./daemon/crashes.ts";
export {
  DaemonError,
  DaemonManager,
  type DaemonOptions,
  type DaemonStatus,
  type SignalHandlers,
} from "./daemon/manager.ts";
export { AlreadyRunningError, PidFile, type PidRecord } from "./daemon/pid-file.ts";
