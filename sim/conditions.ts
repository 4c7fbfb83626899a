import type { Instant, Millis } from "../src/core/duration.ts";

/** A span of the host's wall time that explains why the watcher did not watch. */
export interface Excuse {
  readonly what: string;
  readonly from: Instant;
  to: Instant;
  /** So long that the watcher must have noticed. */
  certain: boolean;
}

/** A span of true time in which the watch was broken. */
export interface Break {
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * What really disturbed the watch, told twice: as the watcher may claim it at most, and as it must have noticed it at
 * least. Deaths must be reported by the first, and must not be invented by the second.
 */
export class Conditions {
  readonly excuses: Excuse[] = [];
  #under = 0;
  #calmSince: Millis = 0;
  readonly #breaks: Break[] = [];

  /** Since when nothing at all has disturbed the watch; infinite while something does. */
  get calmSince(): Millis {
    return this.#under > 0 ? Number.POSITIVE_INFINITY : this.#calmSince;
  }

  /** When the last break ended that the watcher must have noticed. */
  get brokenAt(): Millis {
    return this.#breaks.at(-1)?.to ?? 0;
  }

  /** The breaks so far, oldest first, which nobody changes. */
  get breaks(): readonly Break[] {
    return this.#breaks;
  }

  /**
   * For how long silence since `from` was watched until `to`, at most, as far as it counts: until the first break that gave the
   * agent a whole new chance, or after it; each without the breaks in it. `count` breaks were known then.
   */
  watched(from: Millis, to: Millis, count: number, givesChance: (each: Break) => boolean): Millis {
    let [before, after] = [0, 0];
    let since = from;
    let given = false;
    for (const each of this.#breaks.slice(0, count)) {
      if (each.to <= since) continue;
      const watched = Math.max(0, each.from - since);
      since = each.to;
      if (given) after += watched;
      else before += watched;
      given ||= givesChance(each);
    }
    if (given) return Math.max(before, after + to - since);
    return before + to - since;
  }

  /** What the watcher may say that it did not watch, in true time, at most. */
  readonly #claims: Break[] = [];

  claim(from: Millis, to: Millis): void {
    this.#claims.push({ from, to });
  }

  /** For how long silence since `from` was watched until `to`, at least. */
  watchedAtLeast(from: Millis, to: Millis): Millis {
    let watched = to - from;
    for (const each of this.#claims)
      if (each.to > from) watched -= Math.min(each.to, to) - Math.max(each.from, from);
    return watched;
  }

  /** The wall clock was set back at this true time, by so much. */
  setBack: { readonly at: Millis; readonly by: Millis } = { at: 0, by: 0 };

  /**
   * What lies in the future is believed again when the clock has caught up with it: after a clock was set back by less
   * than an agent's chance, its silence may be called a death that much later (docs/known-limits.md).
   */
  mayBeLate(now: Millis, chance: Millis): Millis {
    const { at, by } = this.setBack;
    return now - at < by + 2 * chance ? Math.min(by, chance) : 0;
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

  broke(from: Millis, now: Millis): void {
    this.#breaks.push({ from, to: now });
    this.touch(now);
  }
}
