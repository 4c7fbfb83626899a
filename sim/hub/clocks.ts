import type { Instant, Millis } from "../../src/core/duration.ts";
import type { Time } from "../time.ts";

const START: Instant = Date.parse("2026-03-02T08:00:00Z");
/** How long a machine has been up when a seed begins. */
const UP: Millis = 3 * 60 * 60_000;

/** The clocks of one machine: its wall clock is wrong and drifts, is set, and the machine sleeps. */
export class Clocks {
  /** When its wall clock was set, in true time. */
  readonly #sets: { readonly at: Millis; readonly by: Millis }[] = [];
  wasSetBack = false;
  readonly #time: Time;
  readonly #drift: number;
  #error: Millis;
  #slept: Millis = 0;
  #heldUntil: Millis = 0;
  #bootedAt: Millis = -UP;

  constructor(time: Time, error: Millis, drift: number) {
    this.#time = time;
    this.#error = error;
    this.#drift = drift;
  }

  wall = (): Instant => Math.round(START + this.#error + this.#time.now * (1 + this.#drift));
  monotonic = (): Millis => 1000 + this.#time.now - this.#slept;
  uptime = (): Millis => this.#time.now - this.#bootedAt;

  get held(): boolean {
    return this.#heldUntil > this.#time.now;
  }

  /** The true time at which this clock showed that instant, by what it showed at `asOf`. */
  trueTime(at: Instant, asOf: Millis = this.#time.now): Millis {
    const since = this.#sets.filter((set) => set.at > asOf).reduce((sum, { by }) => sum + by, 0);
    return this.#time.now - (this.wall() - since - at);
  }

  wasSetBetween(from: Millis, to: Millis): boolean {
    return this.#sets.some(({ at }) => at >= from && at <= to);
  }

  /** A timer of this machine; the answer cancels it. */
  onHost(delay: Millis, call: () => void): () => void {
    const wait = Math.max(1, delay);
    const due = this.monotonic() + wait;
    const fire = () => {
      const more = this.held ? this.#heldUntil - this.#time.now : due - this.monotonic();
      if (more > 0) cancel = this.#time.onHost(more, fire);
      else call();
    };
    let cancel = this.#time.onHost(wait, fire);
    return () => cancel();
  }

  step(by: Millis): void {
    this.#error += by;
    this.wasSetBack ||= by < 0;
    this.#sets.push({ at: this.#time.now, by });
  }

  sleep(length: Millis): void {
    this.#heldUntil = this.#time.now + length;
    this.#slept += length;
  }

  reboot(): void {
    this.#bootedAt = this.#time.now;
  }
}
