import type { Instant } from "../core/duration.ts";

/**
 * When each agent must be judged again: one flat array, scanned whole. For a hundred thousand agents a scan
 * takes a fifth of a millisecond, re-arming is one write, and there is nothing that could get out of order.
 */
export class Deadlines {
  #at = new Float64Array(1024).fill(Number.POSITIVE_INFINITY);
  #used = 0;
  readonly #free: number[] = [];

  /** A place in the array, to be given back when its agent goes. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#used === this.#at.length) {
      const grown = new Float64Array(this.#at.length * 2).fill(Number.POSITIVE_INFINITY);
      grown.set(this.#at);
      this.#at = grown;
    }
    return this.#used++;
  }

  release(slot: number): void {
    this.#at[slot] = Number.POSITIVE_INFINITY;
    this.#free.push(slot);
  }

  set(slot: number, at: Instant): void {
    this.#at[slot] = at;
  }

  /** Calls for each slot that is due, and returns when the next one is. */
  scan(now: Instant, due: (slot: number) => void): Instant {
    let earliest = Number.POSITIVE_INFINITY;
    const at = this.#at;
    for (let slot = 0; slot < this.#used; slot++) {
      const when = at[slot] as number;
      if (when <= now) due(slot);
      else if (when < earliest) earliest = when;
    }
    return earliest;
  }

  /** Everybody is due: our own clocks cannot be trusted to have kept the deadlines right. */
  all(): void {
    for (let slot = 0; slot < this.#used; slot++) {
      if (this.#at[slot] !== Number.POSITIVE_INFINITY) this.#at[slot] = 0;
    }
  }
}
