import { type Instant, MINUTE, type Millis, SECOND } from "../../core/duration.ts";
import type { Clock } from "../../ports/clock.ts";

/** Machines suspend and clocks are set: it never sleeps longer than this. */
export const LONGEST_SLEEP: Millis = MINUTE;
/** The wall clock lost so much against the monotonic one: somebody set it back. */
const SET_BACK: Millis = SECOND;

/**
 * The one timer for all actions. It rings when the earliest moment that somebody asked for has come, and when the clock
 * was set back; most wakings are only to see whether it was.
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: (now: Instant, setBack: boolean) => Instant;
  #on = false;
  #setBacks = 0;
  #wall: Instant = 0;
  #monotonic: Millis = 0;
  #wakeAt: Instant = Number.POSITIVE_INFINITY;
  #earliest: Instant = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  /** `ring` answers with the next moment at which it has to ring, as far as that is known by then. */
  constructor(clock: Clock, ring: (now: Instant, setBack: boolean) => Instant) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** How often the clock was set back so far. */
  get setBacks(): number {
    return this.#setBacks;
  }

  start(): void {
    this.#on = true;
    this.#wall = this.#clock.wall();
    this.#monotonic = this.#clock.monotonic();
    this.#sleep(this.#wall, LONGEST_SLEEP);
  }

  stop(): void {
    this.#on = false;
    this.#cancel();
  }

  /** It rings at this moment, or before. */
  by(at: Instant): void {
    if (at < this.#earliest) this.#earliest = at;
    if (at >= this.#wakeAt) return;
    const now = this.#clock.wall();
    this.#sleep(now, Math.max(0, at - now));
  }

  #sleep(now: Instant, length: Millis): void {
    if (!this.#on) return;
    this.#cancel();
    this.#wakeAt = now + length;
    this.#cancel = this.#clock.after(length, () => this.#wake());
  }

  #wake(): void {
    const now = this.#clock.wall();
    const monotonic = this.#clock.monotonic();
    const setBack = now - this.#wall < monotonic - this.#monotonic - SET_BACK;
    this.#wall = now;
    this.#monotonic = monotonic;
    if (setBack) this.#setBacks += 1;
    if (setBack || this.#earliest <= now) this.#earliest = this.#ring(now, setBack);
    this.#sleep(now, Math.min(LONGEST_SLEEP, this.#earliest - now));
  }
}
