import type { Instant } from "../core/duration.ts";

/**
 * When each of many must be looked at again: one flat array, scanned whole. For a hundred thousand agents a scan
 * takes a fifth of a millisecond, re-arming is one write, and there is nothing that could get out of order.
 */
export class Deadlines {
  #at = new Float64Array(1024).fill(Number.POSITIVE_INFINITY);
  #used = 0;
  readonly #free: number[] = [];
  readonly #slots = new Map<string, number>();
  readonly #owners: (string | undefined)[] = [];

  set(owner: string, at: Instant): void {
    let slot = this.#slots.get(owner);
    if (slot === undefined) {
      slot = this.#take();
      this.#slots.set(owner, slot);
      this.#owners[slot] = owner;
    }
    this.#at[slot] = at;
  }

  delete(owner: string): void {
    const slot = this.#slots.get(owner);
    if (slot === undefined) return;
    this.#at[slot] = Number.POSITIVE_INFINITY;
    this.#owners[slot] = undefined;
    this.#slots.delete(owner);
    this.#free.push(slot);
  }

  /** Calls for everybody whose deadline has passed, or for the first `most` of them, and answers when the next one does. */
  scan(now: Instant, due: (owner: string) => void, most = Number.POSITIVE_INFINITY): Instant {
    let earliest = Number.POSITIVE_INFINITY;
    let left = most;
    const at = this.#at;
    for (let slot = 0; slot < this.#used && left > 0; slot++) {
      const when = at[slot] as number;
      if (when <= now) {
        due(this.#owners[slot] as string);
        left -= 1;
      } else if (when < earliest) earliest = when;
    }
    return earliest;
  }

  /** The earliest deadline, passed or not. */
  first(): Instant {
    return this.scan(Number.NEGATIVE_INFINITY, () => {});
  }

  /** Everybody is due: our own clocks cannot be trusted to have kept the deadlines right. */
  all(): void {
    for (let slot = 0; slot < this.#used; slot++) {
      if (this.#at[slot] !== Number.POSITIVE_INFINITY) this.#at[slot] = 0;
    }
  }

  #take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#used === this.#at.length) {
      const grown = new Float64Array(this.#at.length * 2).fill(Number.POSITIVE_INFINITY);
      grown.set(this.#at);
      this.#at = grown;
    }
    return this.#used++;
  }
}
