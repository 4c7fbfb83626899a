import type { Home } from "./home.ts";
import { PidFileReader, type PidRecord } from "./pid-record.ts";

/** The watcher that runs in this home, if one does. */
export function runningWatcher(home: Home): PidRecord | undefined {
  return new PidFileReader(home.pidFile).holder();
}
