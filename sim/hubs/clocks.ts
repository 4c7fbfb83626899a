import type { Instant, Millis } from "../../src/core/duration.ts";
import type { MachineClocks } from "../life.ts";
import type { Time } from "../time.ts";

export const START: Instant = Date.parse("2026-03-02T08:00:00Z");

/** The clocks of a hub's machine. Its wall clock is wrong. The process may be frozen, which no clock shows. */
export class HubClocks implements MachineClocks {
  readonly #time: Time;
  readonly #error: Millis;
  #frozenUntil: Millis = 0;

  constructor(time: Time, error: Millis) {
    this.#time = time;
    this.#error = error;
  }

  wall = (): Instant => START + this.#error + this.#time.now;
  monotonic = (): Millis => 1000 + this.#time.now;
  uptime = (): Millis => 5_000_000 + this.#time.now;

  get isFrozen(): boolean {
    return this.#frozenUntil > this.#time.now;
  }

  get awakeFor(): Millis {
    return this.#time.now - this.#frozenUntil;
  }

  freeze(length: Millis): void {
    this.#frozenUntil = this.#time.now + length;
  }

  onHost = (delay: Millis, call: () => void): (() => void) => {
    const fire = () => {
      if (this.isFrozen) cancel = this.#time.onHost(this.#frozenUntil - this.#time.now, fire);
      else call();
    };
    let cancel = this.#time.onHost(Math.max(1, delay), fire);
    return () => cancel();
  };
}
