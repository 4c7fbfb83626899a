import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/load.ts";
import type { Run } from "../../core/action/state.ts";
import type { Instant } from "../../core/duration.ts";
import type { ActionStore } from "../../ports/action-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { ActionScheduler, type ScheduledAction } from "../../schedule/engine/action-scheduler.ts";
import { systemClock } from "../../system/clock.ts";
import { openTaskSource } from "../../tasks/registry.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { ourForge } from "../forge/forge.ts";
import { placesOf } from "../telling/routing.ts";
import { sameHeartbeats } from "./agent-heartbeat.ts";
import { loadLater } from "./module.ts";
import { type ActionDeps, type Opened, openActions } from "./open.ts";
import { storedActions } from "./store.ts";

export interface ActionsOptions {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly log: Log;
  readonly home: string;
  readonly clock?: Clock;
}

/** The daemon's own scheduled actions, as the config declares them. */
export class Actions {
  readonly #options: ActionsOptions;
  readonly #store: ActionStore;
  #config: Config;
  #opened: readonly Opened[];
  #scheduler: ActionScheduler;

  private constructor(config: Config, opened: readonly Opened[], options: ActionsOptions) {
    this.#options = options;
    this.#config = config;
    this.#opened = opened;
    const { store, watcher } = options;
    this.#store = storedActions({
      store,
      persist: (parts) => watcher.persist(parts),
      placesFor: (name) => this.#placesFor(name),
    });
    this.#scheduler = this.#schedulerFor(config, opened);
  }

  /** A module that cannot be loaded must not keep the watcher from starting: its runs fail until it is mended. */
  static async start(config: Config, options: ActionsOptions): Promise<Actions> {
    const load = loadLater(({ message }) => options.log.error({}, message));
    const actions = new Actions(config, await openActions(config, { ...openingOf(options), load }), options);
    await actions.#scheduler.start();
    return actions;
  }

  stop(): Promise<void> {
    return this.#scheduler.stop();
  }

  /** Opens what another config declares; throws before anything has changed. The answer puts it in force. */
  async prepare(config: Config): Promise<() => Promise<void>> {
    const keys = ["heartbeat", "tasks", "channels", "forge", "tick", "file"] as const;
    const asBefore =
      keys.every((key) => isDeepStrictEqual(config[key], this.#config[key])) &&
      sameHeartbeats(config, this.#config);
    // A module may have changed although the config has not.
    if (asBefore && !config.heartbeat.actions.some(({ module }) => module !== undefined))
      return async () => {};
    const opened = await openActions(config, openingOf(this.#options));
    const scheduler = this.#schedulerFor(config, opened);
    return async () => {
      const before = this.#scheduler;
      await before.stop();
      this.#config = config;
      this.#opened = opened;
      this.#scheduler = scheduler;
      await scheduler.start(before);
    };
  }

  list(): readonly ScheduledAction[] {
    return this.#scheduler.list();
  }

  upcoming(name: string, count: number): readonly Instant[] {
    return this.#scheduler.upcoming(name, count);
  }

  run(name: string): Promise<Run> {
    return this.#scheduler.run(name);
  }

  enable(name: string, enabled: boolean): Promise<void> {
    return this.#scheduler.enable(name, enabled);
  }

  #schedulerFor(config: Config, opened: readonly Opened[]): ActionScheduler {
    const { heartbeat, tasks } = config;
    const { watcher, log, home, clock = systemClock } = this.#options;
    const forge = () => {
      const ours = ourForge(config);
      return "forge" in ours ? ours.forge : ours;
    };
    const opening = { home, me: heartbeat.agent, env: process.env, now: () => clock.wall(), forge };
    const source = openTaskSource(tasks, opening);
    const scheduler = new ActionScheduler({
      store: this.#store,
      clock,
      log,
      gateway: { roll: async () => [...watcher.reader.places()].map((place) => watcher.reader.view(place)) },
      runtime: { agent: { id: heartbeat.agent ?? "rollcall" }, tasks: source },
    });
    for (const { action, when, options } of opened) scheduler.add(action, when, options);
    return scheduler;
  }

  #placesFor(name: string): readonly string[] {
    const named = this.#opened.find(({ action }) => action.name === name)?.channels;
    return named ?? placesOf(this.#config);
  }
}

/** What actions are opened with; those of the daemon's own work with its watcher and its store. */
function openingOf(options: ActionsOptions): ActionDeps {
  const { home, clock = systemClock } = options;
  return { home, clock, own: { ...options, clock } };
}
