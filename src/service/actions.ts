import { loadConfig } from "../config/load.ts";
import { moduleAction } from "../features/actions/module.ts";
import { openActions } from "../features/actions/open.ts";
import { storedActions } from "../features/actions/store.ts";
import { viewAction } from "../features/actions/view.ts";
import { DaemonError } from "../home/daemon-error.ts";
import { homeAt } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import type { ActionStore } from "../ports/action-store.ts";
import { ActionScheduler } from "../schedule/engine/action-scheduler.ts";
import { systemClock } from "../system/clock.ts";
import { type ActionView, type RunView, showRun } from "../views/show.ts";
import { change } from "./change.ts";
import { ask, askList } from "./client.ts";
import { withStoreIfThere } from "./offline.ts";

export type { ActionView, RunView };

const NOTHING = { shouldNotify: false };

interface Where {
  readonly home?: string;
  readonly config?: string;
}

// Actions as a command sees them: from the watcher if one runs, else from the config and the store. Only a running
// watcher runs them.

export async function actionsOf(where: Where): Promise<readonly ActionView[]> {
  const url = urlOf(where);
  if (url !== undefined) {
    const answer = await ask(homeAt(where.home), url, "GET", "/api/v1/actions");
    return (answer as { actions: readonly ActionView[] }).actions;
  }
  return offline(where, (scheduler) =>
    scheduler.list().map((action) => {
      const [next = Number.POSITIVE_INFINITY] = scheduler.upcoming(action.action.name, 1);
      return viewAction({ ...action, next });
    }),
  );
}

export async function nextRuns(where: Where, name: string, count: number): Promise<readonly string[]> {
  const url = urlOf(where);
  if (url !== undefined) {
    const answer = await ask(homeAt(where.home), url, "GET", `${path(name)}/next?limit=${count}`);
    return (answer as { next: readonly string[] }).next;
  }
  return offline(where, (scheduler) =>
    scheduler.upcoming(name, count).map((at) => new Date(at).toISOString()),
  );
}

export async function runsOf(where: Where, name: string, limit: number): Promise<readonly RunView[]> {
  const url = urlOf(where);
  if (url !== undefined) {
    const asked = `${path(name)}/runs?limit=${limit}`;
    return (await askList<{ runs: readonly RunView[] }>(homeAt(where.home), url, asked, "runs", limit)).runs;
  }
  const found = await withStoreIfThere(homeAt(where.home), (store) =>
    store.runs.page({ limit, action: name }),
  );
  // What is scheduled no more keeps its history.
  if (found === undefined || found.length === 0)
    await offline(where, (scheduler) => scheduler.upcoming(name, 0));
  return (found ?? []).map(showRun);
}

export async function runAction(where: Where, name: string): Promise<RunView> {
  // It takes as long as it takes; the daemon knows its time limit and ends it.
  const answer = await askDaemon(where, `${path(name)}/run`, 0);
  return (answer as { run: RunView }).run;
}

export async function askAction(where: Where, name: string, wish: "enable" | "disable"): Promise<void> {
  await askDaemon(where, `${path(name)}/${wish}`);
}

function path(name: string): string {
  return `/api/v1/actions/${encodeURIComponent(name)}`;
}

function urlOf(where: Where): string | undefined {
  return runningWatcher(homeAt(where.home))?.url;
}

/** Only a daemon can do it: one that is starting is waited for. */
function askDaemon(where: Where, path: string, limit?: number): Promise<unknown> {
  const home = homeAt(where.home);
  return change(home, {
    ask: (url) => ask(home, url, "POST", path, undefined, limit),
    write: async () => {
      const message = "actions run in the daemon, and none is running; start it: rollcall up";
      throw new DaemonError("not-running", message);
    },
  });
}

/** A scheduler that knows everything and runs nothing. */
async function offline<T>(where: Where, read: (scheduler: ActionScheduler) => T): Promise<T> {
  const home = homeAt(where.home);
  const config = await loadConfig(home.path, where.config);
  const states = await withStoreIfThere(home, (store) =>
    storedActions({ store, persist: async () => {}, placesFor: () => [] }).load(),
  );
  const store: ActionStore = { load: async () => states ?? [], commit: async () => {}, runs: async () => [] };
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  // Its clock has no timers, so that nothing comes due.
  const clock = { ...systemClock, after: () => () => {} };
  const scheduler = new ActionScheduler({ store, clock, log: quiet, concurrency: 0 });
  // Whoever only reads runs nobody's code.
  const load = async (name: string, file: string) =>
    moduleAction(name, file, { execute: async () => NOTHING });
  for (const { action, when, options } of await openActions(config, { home: home.path, load }))
    scheduler.add(action, when, options);
  await scheduler.start();
  return read(scheduler);
}
