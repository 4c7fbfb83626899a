import type { Home } from "./home.ts";
import { PidFile, type PidRecord } from "./pid-file.ts";

/** The watcher that runs in this home, if one does. */
export function runningWatcher(home: Home): PidRecord | undefined {
  return new PidFile(home.pidFile).holder();
}
