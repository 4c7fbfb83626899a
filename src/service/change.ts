import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE, type Millis, SECOND, sayDuration } from "../core/duration.ts";
import type { Home } from "../home/home.ts";
import type { PidRecord } from "../home/pid-record.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import type { Writer } from "../home/store.ts";

const LOOK_AGAIN: Millis = 50;
/** As long as `daemon start` waits for a daemon to be ready. */
const PATIENCE: Millis = 2 * MINUTE;

export interface Ways<T> {
  /** Through the watcher that runs. */
  readonly ask: (url: string) => Promise<T>;
  /** In the store, while no watcher runs and none can start. */
  readonly write: (writer: Writer) => Promise<T>;
}

/**
 * Makes a change for a command: through the watcher if one runs, else in the store under the lock. If a watcher is
 * starting or stopping, or another command is at work, it waits for them and then looks again which way is right.
 */
export async function change<T>(
  home: Home,
  { ask, write }: Ways<T>,
  patience: Millis = PATIENCE,
): Promise<T> {
  const began = performance.now();
  let told = false;
  for (;;) {
    const waited = performance.now() - began;
    const watcher = runningWatcher(home);
    if (watcher?.url !== undefined) {
      try {
        return await ask(watcher.url);
      } catch (error) {
        // A watcher that is stopping, or was just killed, has not seen the request: asking again is safe.
        if ((error as { code?: string }).code !== "ECONNREFUSED" || waited >= patience) throw error;
      }
    } else if (watcher === undefined) {
      const { Writer } = await import("../home/store.ts");
      const writer = Writer.take(home);
      if (writer !== undefined) return write(writer).finally(() => writer.release());
    }
    if (waited >= patience) throw await tooBusy(home, watcher, patience);
    if (waited >= SECOND && !told) {
      told = true;
      process.stderr.write(`rollcall: waiting for ${sayAwaited(watcher)} …\n`);
    }
    await sleep(LOOK_AGAIN);
  }
}

function sayAwaited(watcher: PidRecord | undefined): string {
  if (watcher === undefined) return "another process, which holds this home";
  const what = watcher.url === undefined ? "is starting" : "is stopping";
  return `the watcher, which ${what} (process ${watcher.incarnation.pid})`;
}

async function tooBusy(home: Home, watcher: PidRecord | undefined, waited: Millis): Promise<Error> {
  const { HomeBusyError, sayHolder } = await import("../home/store.ts");
  const ready = `the watcher (process ${watcher?.incarnation.pid}) is still not ready after ${sayDuration(waited)}`;
  const blocker =
    watcher === undefined ? sayHolder(home, waited) : `${ready}; see ${home.log}, then try again`;
  return new HomeBusyError(`nothing was changed: ${blocker}`);
}
