import { ConfigError } from "../config/config-error.ts";
import type { DeclaredAgent } from "../config/declared-agent.ts";
import { type GivenListen, parseListen } from "../config/listen.ts";
import type { Config } from "../config/load.ts";
import { inForce, needingRestart } from "../config/restart-only.ts";
import { refuseTakingAway, TakesAwayError } from "../config/taken-away.ts";
import type { Instant } from "../core/duration.ts";
import type { Log } from "../ports/log.ts";
import type { Notifier } from "./notify.ts";

/** The keys of the config that each part puts in force. Those of `RESTART_ONLY` wait for a restart; there are no others. */
export const TAKEN = {
  fleet: [
    ...["agents", "autoRegister", "channels", "defaults.every", "defaults.grace"],
    ...["policy.tell", "policy.hold", "policy.group", "policy.remind", "policy.escalate"],
    ...[
      "policy.quietHours",
      "policy.timezone",
      "policy.windows",
      "daemon.heartbeat.every",
      "daemon.heartbeat.grace",
      "page",
    ],
  ],
  response: ["channels", "policy.hold", "policy.group", "policy.timeout"],
  observing: ["livenessInterval", "packs", "defaults.budget.day", "defaults.budget.tokens"],
  ownBeat: [
    ...["daemon.heartbeat.every", "daemon.heartbeat.ping"],
    ...["daemon.heartbeat.to", "daemon.heartbeat.telegram", "channels", "policy.timeout"],
  ],
  link: ["hub.url", "hub.tokenFile", "hub.allow", "hub.cutOff"],
  web: [
    ...["names", "hosts", "access.unprovenBeats", "access.folders", "access.badges"],
    ...["defaults.every", "defaults.grace", "tick"],
  ],
  pruning: ["retention.beats", "retention.flips"],
  recovering: ["agents", "defaults.recover"],
  actions: [
    ...["heartbeat.enabled", "heartbeat.agent", "heartbeat.actions"],
    ...["agents", "channels", "forge", "tasks", "tick"],
  ],
} as const satisfies Record<string, readonly string[]>;

/** Puts in force what was prepared. It may not fail. */
export type Apply = () => void | Promise<void>;

/** A part of a running watcher that takes keys of the config. */
export interface ReloadPart {
  /** Does all that may fail, and changes nothing. */
  prepare(next: Config): Apply | Promise<Apply>;
}

interface InForce {
  readonly config: Config;
  readonly loadedAt: Instant;
  /** One sentence for each key that was changed and is not in force before a restart. */
  readonly needsRestart: readonly string[];
}

/** What a reload needs of a watcher that has started. */
export interface Running {
  readonly parts: Readonly<Record<keyof typeof TAKEN, ReloadPart>>;
  /** One line for systemd. */
  readonly status: () => string;
  readonly reloaded: (config: Config) => void;
  readonly tellRefusal: (problem: string) => void;
}

export interface ReloaderOptions {
  readonly read: () => Promise<Config>;
  readonly notifier: Pick<Notifier, "reloading" | "ready">;
  readonly log: Log;
  readonly now: () => Instant;
  /** What was given at the start and outranks `listen` in the config. */
  readonly listen?: GivenListen | undefined;
}

/** The config in force, and the line of those who change it. A change that is asked for during the start waits for its end. */
export class Reloader {
  readonly #options: ReloaderOptions;
  readonly #first: Config;
  #inForce: InForce;
  #toldOfRefusal = false;
  #begin: (running: Running) => void = () => {};
  readonly #started = new Promise<Running>((begin) => {
    this.#begin = begin;
  });
  #line: Promise<unknown> = Promise.resolve();

  constructor(first: Config, options: ReloaderOptions) {
    this.#options = options;
    this.#first = first;
    this.#inForce = { config: first, loadedAt: options.now(), needsRestart: [] };
  }

  get inForce(): InForce {
    return this.#inForce;
  }

  begin(running: Running): void {
    this.#begin(running);
  }

  /** Reads the config again. `yes`: also one that takes most of the agents away. */
  reload(yes: boolean): Promise<readonly string[]> {
    return this.#turn((running) => this.#reload(yes, running));
  }

  /** The same for a signal: nobody can be asked, so people are told if a config takes most of the agents away. */
  async reloadBySignal(): Promise<readonly string[]> {
    try {
      return await this.reload(false);
    } catch (error) {
      // Once for all signals that find the same: somebody who sends them by a timer is told as well.
      if (error instanceof TakesAwayError && !this.#toldOfRefusal) {
        this.#toldOfRefusal = true;
        (await this.#started).tellRefusal(error.message);
      }
      throw error;
    }
  }

  /** Lets agents of new session logs join those that are declared. */
  join(found: readonly DeclaredAgent[]): Promise<void> {
    return this.#turn(async (running) => {
      const { config } = this.#inForce;
      const known = new Set(config.agents.map(({ id }) => id));
      const agents = found.filter(({ id }) => !known.has(id));
      if (agents.length === 0) return;
      await this.#put(
        { ...this.#inForce, config: { ...config, agents: [...config.agents, ...agents] } },
        running,
      );
      this.#options.log.info({ agents: agents.map(({ id }) => id) }, "agents of new session logs joined");
    });
  }

  #turn<T>(work: (running: Running) => Promise<T>): Promise<T> {
    const turn = this.#line.then(async () => work(await this.#started));
    this.#line = turn.catch(() => {});
    return turn;
  }

  async #reload(yes: boolean, running: Running): Promise<readonly string[]> {
    const { read, notifier, log, now } = this.#options;
    await notifier.reloading();
    try {
      const next = await read();
      const before = this.#inForce.config;
      if (next.file === undefined && before.file !== undefined) {
        const right = "put it back; or, to go on with the defaults, stop the watcher and start it";
        throw new ConfigError(before.file, [`it was in force, and it is gone; ${right}`]);
      }
      if (!yes) refuseTakingAway(before, next);
      parseListen(next.listen, next.file ?? "the default");
      const config = inForce(this.#first, next);
      const needsRestart = needingRestart(this.#first, next, this.#options.listen);
      await this.#put({ config, loadedAt: now(), needsRestart }, running);
      this.#toldOfRefusal = false;
      log.info({ file: next.file ?? null, agents: next.agents.length }, "config read again");
      for (const problem of needsRestart) log.warn({ problem }, "config: a key needs a restart");
      running.reloaded(config);
      return needsRestart;
    } finally {
      await notifier.ready(running.status());
    }
  }

  /** First all that may fail, then, in one go, what may not: a config that is refused changes nothing. */
  async #put(next: InForce, { parts: { fleet, ...others } }: Running): Promise<void> {
    const declare = await fleet.prepare(next.config);
    const prepared: Apply[] = [];
    for (const part of Object.values(others)) prepared.push(await part.prepare(next.config));
    // Only the store can refuse it now, and then the fleet is as it was.
    await declare();
    this.#inForce = next;
    for (const apply of prepared) await apply();
  }
}
