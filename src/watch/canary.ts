import type { Agent } from "../core/agent.ts";
import { DAY, type Instant, MINUTE, type Millis } from "../core/duration.ts";
import type { Policy, Route } from "../core/incident/policy.ts";
import { breaksTheWatch } from "../core/liveness/trust.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Watcher } from "./watcher.ts";

export const CANARY_SINK = "canary";
const GROUP = "canary";
/** Dead after two minutes; then it is held and grouped as everything else. */
const RULE = { every: MINUTE, grace: MINUTE } as const;
/** The first one after a start waits until the fleet has settled. */
const FIRST: Millis = 10 * MINUTE;
const AGAIN: Millis = MINUTE;

/** The policy with the canary's route before all others: its death is not for people. */
export function withCanary(policy: Policy, host: string): Policy {
  const route: Route = {
    agents: idOn(host),
    states: ["dead"],
    after: 0,
    to: [CANARY_SINK],
    undisturbing: true,
  };
  return { ...policy, routes: [route, ...policy.routes] };
}

function idOn(host: string): string {
  return `canary@${host}`;
}

export interface CanaryOptions {
  readonly watcher: Watcher;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
  readonly newId: () => string;
  /** Within how long its death must have arrived. */
  readonly patience: () => Millis;
  /** Somebody must be told by another way: the canary died, and nobody heard of it. */
  readonly alarm: (problem: string) => void;
  /** After an alarm one arrived. */
  readonly calm: () => void;
}

/**
 * An agent that dies on purpose every day. Its death goes the whole way (silence, verdict, incident, outbox, channel) to a
 * place of its own, not to people; if it does not arrive there, the pipeline is broken, and that is told.
 */
export class Canary {
  readonly #options: CanaryOptions;
  readonly #id: string;
  #cancel: () => void = () => {};
  #diedAt: Instant | undefined;
  #problem: string | undefined;

  constructor(options: CanaryOptions) {
    this.#options = options;
    this.#id = idOn(options.host);
  }

  /** What is wrong with the pipeline, if the last canary did not arrive. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Where its death must arrive. */
  readonly sink: Channel = {
    kind: CANARY_SINK,
    send: async ({ message }) => {
      if (this.#diedAt !== undefined && message.severity !== "resolved") this.#arrived();
      return { outcome: "sent" };
    },
  };

  async start(): Promise<void> {
    // A crash may have left one behind, which would stay on the roll as dead.
    await this.#leave();
    this.#after(FIRST, () => this.die());
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#leave();
  }

  /** Comes to life for one beat. */
  async die(): Promise<void> {
    const { watcher, clock } = this.#options;
    const now = clock.wall();
    const agent: Agent = {
      id: this.#id,
      name: "dies on purpose, to prove that alerts arrive",
      group: GROUP,
      rule: RULE,
      origin: "added",
      addedAt: now,
    };
    this.#diedAt = now;
    try {
      if (watcher.reader.place(this.#id) === undefined) await watcher.add(agent);
      await watcher.accept([
        {
          id: this.#options.newId(),
          agent: this.#id,
          source: "agent",
          status: "ok",
          sentAt: now,
          receivedAt: now,
        },
      ]);
    } catch {
      // A store that takes nothing is told by the watcher; the patience below runs all the same.
    }
    this.#after(this.#options.patience(), () => this.#missed(now));
  }

  #arrived(): void {
    this.#options.log.info({ agent: this.#id }, "canary: the alert about its death was delivered");
    if (this.#problem !== undefined) this.#options.calm();
    this.#problem = undefined;
    this.#after(DAY, () => this.die());
    void this.#leave();
  }

  async #missed(since: Instant): Promise<void> {
    const { watcher, alarm } = this.#options;
    // A store that takes nothing is told by the watcher, and what was not watched gave the canary more time to live.
    const broken =
      watcher.blindSince !== undefined ||
      watcher.trust.blind.some((span) => span.to >= since && breaksTheWatch(span));
    if (!broken && this.#problem === undefined) {
      this.#problem = "the canary died, and no alert about it was delivered: other alerts may be missing too";
      alarm(this.#problem);
    }
    this.#after(broken ? AGAIN : FIRST, () => this.die());
    await this.#leave();
  }

  /** Takes it off the roll; its incident, if there is one, ends with that. */
  async #leave(): Promise<void> {
    this.#diedAt = undefined;
    const { watcher } = this.#options;
    if (watcher.reader.place(this.#id) !== undefined) await watcher.remove(this.#id).catch(() => {});
  }

  #after(delay: Millis, call: () => Promise<void>): void {
    this.#cancel();
    const until = this.#options.clock.monotonic() + delay;
    // Timers over 2³¹ ms fire at once, and machines sleep: an hour at a time.
    const wait = (): void => {
      const left = until - this.#options.clock.monotonic();
      if (left <= 0) void call();
      else this.#cancel = this.#options.clock.after(Math.min(left, 60 * MINUTE), wait);
    };
    wait();
  }
}
