import { type Millis, SECOND } from "../../src/core/duration.ts";
import type { HostBatch } from "../../src/core/host/batch.ts";
import type { HubClient, Reply } from "../../src/link/link.ts";
import type { Chance } from "../chance.ts";
import type { Life } from "../life.ts";
import type { Time } from "../time.ts";

/** How the way to the hub is. `one-way`: batches arrive, answers do not. `half-open`: nothing does, and nobody says so. */
export type WayState = "well" | "cut" | "one-way" | "half-open" | "slow";

/** The hub's end of it. A promise that never ends: the hub's process died over it. */
export interface FarEnd {
  take(batch: HostBatch): Promise<Reply>;
  wait(time: Millis): Promise<readonly unknown[]>;
}

/** As long as the product's client waits. */
const PATIENCE: Millis = 20 * SECOND;

/** The network between a host and the hub: it loses, delays, repeats and reorders. */
export class Way {
  state: WayState = "well";
  readonly #time: Time;
  readonly #chance: Chance;
  readonly #end: FarEnd;

  constructor(time: Time, chance: Chance, end: FarEnd) {
    this.#time = time;
    this.#chance = chance;
    this.#end = end;
  }

  /** The way as one process of the host sees it; `sent` is asked after each batch, and is true if the process dies there. */
  clientFor(life: Life, sent: () => boolean, heard: (commands: readonly unknown[]) => void): HubClient {
    return {
      send: (batch) =>
        this.#ask(
          life,
          PATIENCE,
          sent,
          () => this.#end.take(batch),
          () => this.#repeat(batch),
        ).then((reply) => {
          if (reply === undefined) return { failed: "ETIMEDOUT" };
          if ("answer" in reply) heard(reply.answer.commands);
          return reply;
        }),
      commands: async (wait) => {
        const far = () => this.#end.wait(wait);
        const commands = await this.#ask(
          life,
          wait + PATIENCE,
          () => false,
          far,
          () => {},
        );
        if (commands !== undefined) heard(commands);
        return commands;
      },
    };
  }

  /** Undefined: it took too long. Nothing ends any more in a life that is over. */
  #ask<T>(
    life: Life,
    patience: Millis,
    sent: () => boolean,
    far: () => Promise<T>,
    repeat: () => void,
  ): Promise<T | undefined> {
    return new Promise((done) => {
      if (life.isOver) return;
      const cancel = life.after(this.state === "cut" ? 50 : patience, () => done(undefined));
      const { state } = this;
      if (state === "half-open" && this.#chance.hit(0.3)) this.#time.after(this.#late(), () => void far());
      if (state === "cut" || state === "half-open") return;
      this.#time.after(this.#takes(), () => {
        const answered = far();
        if (this.#chance.hit(0.04)) repeat();
        if (life.isOver || sent() || this.state === "one-way" || this.#chance.hit(0.01)) return;
        void answered.then((answer) => {
          this.#time.after(this.#takes(), () => {
            if (life.isOver || this.state === "cut" || this.state === "half-open") return;
            // On the host's own time: a machine that sleeps reads it when it wakes.
            life.after(1, () => {
              cancel();
              done(answer);
            });
          });
        });
      });
    });
  }

  /** The same batch arrives once more, at once or behind later ones. */
  #repeat(batch: HostBatch): void {
    this.#time.after(this.#chance.hit(0.5) ? 1 : this.#late(), () => void this.#end.take(batch));
  }

  #late(): Millis {
    return this.#chance.between(SECOND, 90 * SECOND);
  }

  #takes(): Millis {
    return this.state === "slow" ? this.#chance.between(SECOND, 12 * SECOND) : this.#chance.between(2, 60);
  }
}
