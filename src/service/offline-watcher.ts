import type { Config } from "../config/load.ts";
import { policyOf } from "../features/policy.ts";
import type { Home } from "../home/home.ts";
import { forgetBeats } from "../home/intake/beat-files.ts";
import type { Store } from "../ports/store.ts";
import { systemClock } from "../system/clock.ts";
import { Watcher } from "../watch/watcher.ts";

/**
 * A watcher that judges nobody, so that the same rules change the store. It leaves the last watcher's sign of life alone,
 * by which the next one knows how long nobody watched and whether the host was rebooted.
 */
export async function offlineWatcher(store: Store, home: Home, config: Config): Promise<Watcher> {
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const options = { store, clock: systemClock, log: quiet };
  const watcher = await Watcher.load(options, policyOf(config, systemClock.wall()));
  watcher.onCommitted(({ removed = [] }) => {
    for (const id of removed) forgetBeats(home.beats, id);
  });
  return watcher;
}
