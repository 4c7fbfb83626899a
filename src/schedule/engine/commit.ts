import type { ActionChange } from "../../core/action/state.ts";
import { MINUTE, type Millis, SECOND, sayDuration } from "../../core/duration.ts";
import type { ActionStore } from "../../ports/action-store.ts";
import { type Clock, pause } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { problemOf } from "./surroundings.ts";

/** How long a store that fails is left alone, at first and at most. */
const FIRST_RETRY: Millis = SECOND;
const LAST_RETRY: Millis = MINUTE;

/** Tries until it is done or we stop: what is not committed did not happen, and nothing may build on it. */
export async function commitSurely(
  change: ActionChange,
  store: ActionStore,
  clock: Clock,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  for (let length = FIRST_RETRY; ; length = Math.min(2 * length, LAST_RETRY)) {
    try {
      return await store.commit(change);
    } catch (error) {
      if (stopping.aborted) throw error;
      log.error(
        { action: change.state.action },
        `could not store, next try in ${sayDuration(length)}: ${problemOf(error)}`,
      );
      await pause(length, clock, stopping);
    }
  }
}
