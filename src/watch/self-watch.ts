import { type Millis, SECOND } from "../core/duration.ts";
import type { BlindSpan, Trust } from "../core/liveness/trust.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { type ClockReading, SelfTrust, unwatchedSince, withSpan } from "./self-trust.ts";

/** A commit that takes longer than this means that we could not store meanwhile. */
const SLOW_COMMIT: Millis = 2 * SECOND;
/** One that has not ended by then may never end: that is told as a store that does not take it. */
const HANGING_COMMIT: Millis = 15 * SECOND;
/** How many spans that were not watched are remembered. */
const SPANS = 256;

/** What the watcher sees, and what it did not: the spans that were not watched, and the store that does not take them. */
export class SelfWatch {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #missed: () => void;
  readonly #selfTrust: SelfTrust;
  readonly #listeners = new Set<(problem: string | undefined) => void>();
  #blind: readonly BlindSpan[] = [];
  /** Spans that no commit has taken yet. */
  #unsaved: readonly BlindSpan[] = [];
  #blindSince: ClockReading | undefined;
  /** Since when a commit has been under way. */
  #committing: Millis | undefined;

  /** `missed` is called when something was not watched: whoever was judged by it must be judged anew. */
  constructor(clock: Clock, log: Log, missed: () => void) {
    this.#clock = clock;
    this.#log = log;
    this.#missed = missed;
    this.#selfTrust = new SelfTrust(clock);
  }

  get trust(): Trust {
    return { blind: this.#blind };
  }

  /** Set while nothing can be stored. */
  get blindSince(): ClockReading | undefined {
    return this.#blindSince;
  }

  get unsaved(): readonly BlindSpan[] {
    return this.#unsaved;
  }

  onBlind(listener: (problem: string | undefined) => void): void {
    this.#listeners.add(listener);
  }

  /** What is on record, and what nobody watched before us. */
  restore(known: readonly BlindSpan[], outage: BlindSpan | undefined): void {
    this.#blind = known;
    if (outage !== undefined) this.#note(outage);
  }

  /** What we did not watch since the last look must be known before anybody is judged. True if there was something. */
  look(wakeAt: Millis): boolean {
    const span = this.#selfTrust.look(wakeAt);
    if (span !== undefined) this.#wasBlind(span);
    return span !== undefined;
  }

  now(): ClockReading {
    return this.#ago(0);
  }

  /** The clocks at the last look: to read the uptime costs as much as a beat. */
  get seen(): ClockReading {
    return this.#selfTrust.seen;
  }

  /** What the next commit has to say of what was not watched. */
  toSave(): readonly BlindSpan[] {
    // The commit that ends our blindness says so itself: its mark must not hide what we missed if we die after it.
    return this.#blindSince === undefined
      ? this.#unsaved
      : [...this.#unsaved, unwatchedSince(this.#blindSince, this.#clock, "store")];
  }

  saved(spans: readonly BlindSpan[]): void {
    if (this.#unsaved.length > 0) this.#unsaved = this.#unsaved.filter((span) => !spans.includes(span));
  }

  commitBegins(): Millis {
    this.#committing = this.#clock.monotonic();
    return this.#committing;
  }

  commitEnds(): void {
    this.#committing = undefined;
  }

  /** A disk that hangs gives no error: whoever waits for it too long must say so. Our own pauses are not its fault. */
  isHanging(paused: boolean): boolean {
    if (this.#committing === undefined || this.#blindSince !== undefined) return false;
    const now = this.#clock.monotonic();
    if (paused) this.#committing = now;
    else if (now - this.#committing > HANGING_COMMIT) {
      this.couldNotStore(new Error("the store does not answer"), this.#ago(now - this.#committing));
      return true;
    }
    return false;
  }

  couldNotStore(error: unknown, since: ClockReading): void {
    if (this.#blindSince !== undefined) return;
    this.#blindSince = since;
    const problem = error instanceof Error ? error.message : String(error);
    this.#log.error({ problem }, "watcher blind: the store does not accept commits");
    for (const listener of this.#listeners) listener(problem);
  }

  /** A commit that was decided at `moment` and began at `began` has succeeded. */
  stored(moment: ClockReading, began: Millis): void {
    const since = this.#blindSince;
    if (since === undefined) {
      const slow = this.#clock.monotonic() - began > SLOW_COMMIT;
      if (slow) this.#wasBlind(unwatchedSince(moment, this.#clock, "store"));
      return;
    }
    const span = unwatchedSince(since, this.#clock, "store");
    this.#blindSince = undefined;
    for (const listener of this.#listeners) listener(undefined);
    this.#wasBlind(span);
  }

  #wasBlind(span: BlindSpan): void {
    this.#log.warn({ ...span }, `did not watch (${span.cause})`);
    this.#note(span);
    this.#unsaved = [...this.#unsaved, span];
    this.#missed();
  }

  #note(span: BlindSpan): void {
    this.#blind = withSpan(this.#blind, span).slice(-SPANS);
  }

  #ago(length: Millis): ClockReading {
    return { at: this.#clock.wall() - length, uptime: this.#clock.uptime() - length };
  }
}
