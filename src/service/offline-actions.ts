import { loadConfig } from "../config/load.ts";
import { moduleAction } from "../features/actions/module.ts";
import { openActions } from "../features/actions/open.ts";
import { storedActions } from "../features/actions/store.ts";
import { viewAction } from "../features/actions/view.ts";
import type { Home } from "../home/home.ts";
import type { Store } from "../ports/store.ts";
import { ActionScheduler } from "../schedule/engine/action-scheduler.ts";
import { systemClock } from "../system/clock.ts";
import type { ScheduledActions } from "./parts.ts";

const NOTHING = { shouldNotify: false };

/** The actions of the config with their state in the store, by a scheduler that runs nothing. */
export async function offlineActions(
  home: Home,
  configFile: string | undefined,
  store: Store,
): Promise<Pick<ScheduledActions, "list" | "upcoming">> {
  const config = await loadConfig(home.path, configFile);
  const known = storedActions({ store, persist: async () => {}, placesFor: () => [] });
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  // Its clock has no timers, so that nothing comes due.
  const clock = { ...systemClock, after: () => () => {} };
  const scheduler = new ActionScheduler({
    store: { ...known, commit: async () => {} },
    clock,
    log: quiet,
    concurrency: 0,
  });
  // A command that only reads runs no module.
  const load = async (name: string, file: string) =>
    moduleAction(name, file, { execute: async () => NOTHING });
  for (const { action, when, options } of await openActions(config, { home: home.path, load }))
    scheduler.add(action, when, options);
  await scheduler.start();
  return {
    list: () =>
      scheduler.list().map((action) => {
        const [next = Number.POSITIVE_INFINITY] = scheduler.upcoming(action.action.name, 1);
        return viewAction({ ...action, next });
      }),
    upcoming: (name, count) => scheduler.upcoming(name, count),
  };
}
