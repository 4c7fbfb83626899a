import { type Millis, sayDuration } from "../core/duration.ts";
import type { BeatAnswer } from "./kit/beat-answer.ts";
import { PATIENCE } from "./kit/problem.ts";

/**
 * Whoever waits for a commit, the longest first. All wait equally long, so one timer is enough: a timer for each beat would
 * cost more than the rest of its bookkeeping.
 */
class Waits {
  readonly #patience: Millis;
  readonly #since = new Map<BeatAnswer, Millis>();
  #timer: NodeJS.Timeout | undefined;

  constructor(patience: Millis) {
    this.#patience = patience;
  }

  add(answer: BeatAnswer): void {
    this.#since.set(answer, performance.now());
    this.#timer ??= setTimeout(() => this.#look(), this.#patience).unref();
  }

  delete(answer: BeatAnswer): void {
    this.#since.delete(answer);
  }

  /** Answers those that have waited long enough, and looks again when the next one has. */
  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [answer, since] of this.#since) {
      // A timer may fire a fraction of a millisecond early.
      const left = since + this.#patience - now;
      if (left > 1) {
        this.#timer = setTimeout(() => this.#look(), left).unref();
        return;
      }
      this.#since.delete(answer);
      answer.problem(
        "cannot-store",
        `not stored within ${sayDuration(this.#patience)}, but it may still be stored; send it again with the same id: it is kept once`,
        { retryAfter: PATIENCE },
      );
    }
  }
}

const all = new Map<Millis, Waits>();

/** Those that wait so long. */
export function waitsOf(patience: Millis): Waits {
  let waits = all.get(patience);
  if (waits === undefined) {
    waits = new Waits(patience);
    all.set(patience, waits);
  }
  return waits;
}
