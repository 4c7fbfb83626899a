import type { Instant, Millis } from "../src/core/duration.ts";

/** A span of the host's wall time that explains why the watcher did not watch. */
export interface Excuse {
  readonly what: string;
  readonly from: Instant;
  to: Instant;
  /** So long that the watcher must have noticed. */
  certain: boolean;
}

/**
 * What really disturbed the watch, told twice: as the watcher may claim it at most, and as it must have noticed it at
 * least. Deaths must be reported by the first, and must not be invented by the second.
 */
export class Conditions {
  readonly excuses: Excuse[] = [];
  #under = 0;
  #calmSince: Millis = 0;
  #brokenAt: Millis = 0;

  /** Since when nothing at all has disturbed the watch; infinite while something does. */
  get calmSince(): Millis {
    return this.#under > 0 ? Number.POSITIVE_INFINITY : this.#calmSince;
  }

  /** When the last break ended that the watcher must have noticed. */
  get brokenAt(): Millis {
    return this.#brokenAt;
  }

  begin(): void {
    this.#under += 1;
  }

  end(now: Millis): void {
    this.#under -= 1;
    this.#calmSince = Math.max(this.#calmSince, now);
  }

  /** Something short disturbed it. */
  touch(now: Millis): void {
    this.#calmSince = Math.max(this.#calmSince, now);
  }

  broke(now: Millis): void {
    this.#brokenAt = now;
    this.touch(now);
  }
}
