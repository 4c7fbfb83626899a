import type { Home } from "./home.ts";
import { LockedPidFile, type PidRecord } from "./pid-file.ts";

/** The watcher that runs in this home, if one does. */
export function runningWatcher(home: Home): PidRecord | undefined {
  return new LockedPidFile(home.pidFile).holder();
}
