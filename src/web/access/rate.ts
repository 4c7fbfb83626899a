import { type Instant, type Millis, SECOND } from "../../core/duration.ts";

interface Bucket {
  left: number;
  at: Instant;
}

/** How many senders are remembered: beyond that the longest silent one is forgotten. */
const SENDERS = 10_000;

/** So many requests at once, and so many a second in the long run, for each sender. */
export class Rate {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #now: () => Instant;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: { readonly burst: number; readonly perSecond: number }, now: () => Instant) {
    this.#burst = limit.burst;
    this.#perSecond = limit.perSecond;
    this.#now = now;
  }

  /** Takes one; answers how long to wait if there is none left, else undefined. */
  take(sender: string): Millis | undefined {
    const now = this.#now();
    const bucket = this.#buckets.get(sender) ?? { left: this.#burst, at: now };
    this.#buckets.delete(sender);
    this.#buckets.set(sender, bucket);
    if (this.#buckets.size > SENDERS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    // A clock that was set back gives nothing, and takes nothing.
    const passed = Math.max(0, now - bucket.at);
    bucket.left = Math.min(this.#burst, bucket.left + (passed / SECOND) * this.#perSecond);
    bucket.at = now;
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / this.#perSecond) * SECOND);
    bucket.left -= 1;
    return undefined;
  }
}
