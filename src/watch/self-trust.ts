import { type Instant, MINUTE, type Millis, SECOND } from "../core/duration.ts";
import { type BlindSpan, FUTURE_TOLERANCE } from "../core/liveness/trust.ts";
import type { Clock } from "../ports/clock.ts";
import type { WatchMark } from "../ports/store.ts";

/** A look at the clocks that comes this much later than planned shows that we were held up. */
const LAG: Millis = 5 * SECOND;
/** Clocks that part by more than this have been set, or one of them stood still. */
const PART: Millis = 2 * SECOND;
/** Being held up for longer than this is an outage: others may have given up on us meanwhile. */
const OUTAGE: Millis = MINUTE;

/** Notices from three clocks what we did not watch: lag, suspend, and steps of the wall clock. */
export class SelfTrust {
  readonly #clock: Clock;
  #wall: Instant;
  #monotonic: Millis;
  #uptime: Millis;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wall = clock.wall();
    this.#monotonic = clock.monotonic();
    this.#uptime = clock.uptime();
  }

  /** Looks at the clocks. `planned` is the reading of the monotonic one at which we meant to at the latest. */
  look(planned: Millis): BlindSpan | undefined {
    const from = this.#wall;
    const late = this.#clock.monotonic() - Math.max(planned, this.#monotonic);
    const to = this.#clock.wall();
    const ran = this.#clock.monotonic() - this.#monotonic;
    const passed = this.#clock.uptime() - this.#uptime;
    this.#wall = to;
    this.#monotonic += ran;
    this.#uptime += passed;

    const stepped = to - from - passed;
    // A clock set back leaves no span, but a moment from which everybody has a new chance.
    if (stepped < -FUTURE_TOLERANCE) return { from: to, to, cause: "step" };
    if (passed - ran > PART) return { from, to, cause: "suspend" };
    if (stepped > FUTURE_TOLERANCE) return { from, to, cause: "step" };
    const excess = Math.max(late > LAG ? late : 0, stepped > PART ? stepped : 0);
    if (excess === 0) return undefined;
    // When it began nobody knows: what is certain is only that we were there at the last look.
    if (excess > OUTAGE) return { from: Math.min(from, to), to, cause: "outage" };
    return { from: Math.min(to, Math.max(from, to - excess)), to, cause: "lag" };
  }
}

/** What nobody watched between the last sign of life of the watcher before this one and now. */
export function outageSince(mark: WatchMark | undefined, now: Instant): BlindSpan | undefined {
  if (mark === undefined) return undefined;
  if (mark.at > now + FUTURE_TOLERANCE) return { from: now, to: now, cause: "step" };
  return { from: Math.min(mark.at, now), to: now, cause: "outage" };
}
