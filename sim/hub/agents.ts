import type { Agent } from "../../src/core/agent.ts";
import type { Beat } from "../../src/core/beat.ts";
import { MINUTE, type Millis } from "../../src/core/duration.ts";
import type { Watcher } from "../../src/watch/watcher.ts";
import type { Chance } from "../chance.ts";
import type { Time } from "../time.ts";
import type { Clocks } from "./clocks.ts";

export const RULE = { every: 4 * MINUTE, grace: 2 * MINUTE } as const;

interface SimAgent {
  readonly id: string;
  readonly period: Millis;
  alive: boolean;
  erring: boolean;
  /** When the last beat that was accepted was handed over, in true time. */
  heardAt: Millis;
}

/** The agents of one host: they beat, err, fall silent, come back, and are removed. */
export class Agents {
  readonly declared: readonly Agent[];
  readonly all: readonly SimAgent[];
  readonly #time: Time;
  readonly #chance: Chance;
  readonly #clocks: Clocks;
  readonly #watcher: () => Watcher | undefined;
  #count = 0;

  constructor(time: Time, chance: Chance, clocks: Clocks, host: string, watcher: () => Watcher | undefined) {
    this.#time = time;
    this.#chance = chance;
    this.#clocks = clocks;
    this.#watcher = watcher;
    const count = chance.between(2, 4);
    this.all = Array.from({ length: count }, (_, number): SimAgent => {
      const id = `a${number}`;
      const period = Math.round(RULE.every * (0.5 + 0.3 * chance.next()));
      return { id, period, alive: true, erring: false, heardAt: Number.NEGATIVE_INFINITY };
    });
    // The first is declared; the others register themselves, and can be removed.
    this.declared = [{ id: "a0", rule: RULE, origin: "config", addedAt: clocks.wall(), group: host }];
    for (const agent of this.all) {
      this.#live(agent);
      this.#troubles(agent);
    }
  }

  /** Somebody takes one off the roll. */
  remove(): void {
    const { id } = this.#chance.one(this.all);
    this.#watcher()
      ?.remove(id)
      .catch(() => {});
  }

  #live(agent: SimAgent): void {
    const beat = () => {
      if (agent.alive) this.#beat(agent);
      this.#time.after(Math.round(agent.period * (0.9 + 0.2 * this.#chance.next())), beat);
    };
    this.#time.after(this.#chance.between(0, agent.period), beat);
  }

  #troubles(agent: SimAgent): void {
    const mean = this.#chance.between(10 * MINUTE, 60 * MINUTE);
    this.#time.after(this.#chance.between(MINUTE, 2 * mean), () => {
      const kind = this.#chance.one(["errs", "errs", "silent"] as const);
      if (kind === "errs") agent.erring = true;
      else agent.alive = false;
      if (kind === "errs") this.#beat(agent);
      this.#time.after(this.#chance.between(20_000, 25 * MINUTE), () => {
        agent.erring = false;
        agent.alive = true;
        this.#beat(agent);
        this.#troubles(agent);
      });
    });
  }

  #beat(agent: SimAgent): void {
    const watcher = this.#watcher();
    // It runs on this host: it sleeps with it.
    if (watcher === undefined) return;
    const at = this.#clocks.wall();
    this.#count += 1;
    const beat: Beat = {
      ...{ id: `b${this.#count}`, agent: agent.id, source: "agent", sentAt: at, receivedAt: at },
      status: agent.erring ? "error" : "ok",
    };
    const { now } = this.#time;
    watcher.accept([beat]).then(
      () => {
        agent.heardAt = Math.max(agent.heardAt, now);
      },
      () => {},
    );
  }
}
