import { DAY, type Instant, MINUTE, type Millis, SECOND } from "../core/duration.ts";
import { type BlindCause, type BlindSpan, breaksTheWatch, FUTURE_TOLERANCE } from "../core/liveness/trust.ts";
import type { Clock } from "../ports/clock.ts";
import type { LastMark, WatchMark } from "../ports/store.ts";

/** A look at the clocks that comes this much later than planned shows that we were held up. */
const LAG: Millis = 5 * SECOND;
/** Clocks that part by more than this have been set, or one of them stood still. */
const PART: Millis = 2 * SECOND;
/** Being held up for longer than this is an outage: others may have given up on us meanwhile. */
const OUTAGE: Millis = MINUTE;
/** A host that came back with an earlier time says nothing of how long it was away. */
const UNKNOWN: Millis = DAY;

/** A moment by the clock of people, and by one that nobody sets. */
export type ClockReading = Pick<WatchMark, "at" | "uptime">;

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

  /** The clocks at the last look. */
  get seen(): ClockReading {
    return { at: this.#wall, uptime: this.#uptime };
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
    // A clock set back leaves no span, but a moment from which everybody has a new chance; and what we missed besides.
    const missed = passed - ran > PART || late > LAG ? passed : 0;
    if (stepped < -FUTURE_TOLERANCE) return { from: to - missed, to, cause: "step" };
    if (passed - ran > PART) return { from, to, cause: "suspend" };
    if (stepped > FUTURE_TOLERANCE) return { from, to, cause: "step" };
    const excess = Math.max(late > LAG ? late : 0, stepped > PART ? stepped : 0);
    if (excess === 0) return undefined;
    // When it began nobody knows: what is certain is only that we were there at the last look.
    if (excess > OUTAGE) return { from: Math.min(from, to), to, cause: "outage" };
    return { from: Math.min(to, Math.max(from, to - excess)), to, cause: "lag" };
  }
}

/** What nobody watched since then, in today's wall time: where the clock was set back, all that has passed since counts. */
export function unwatchedSince({ at, uptime }: ClockReading, clock: Clock, cause: BlindCause): BlindSpan {
  const to = clock.wall();
  return { from: Math.min(at, to - (clock.uptime() - uptime)), to, cause };
}

/** What nobody watched between the last sign of life of the watcher before this one and now. */
export function outageSince(mark: LastMark | undefined, clock: Clock, bootId: string): BlindSpan | undefined {
  if (mark === undefined) return undefined;
  const now = clock.wall();
  if (mark.takenOver !== undefined) return takenOverSince(mark.at, mark.takenOver, now);
  const setBack = mark.at > now + FUTURE_TOLERANCE;
  const cause = setBack ? "step" : "outage";
  if (mark.bootId === bootId && mark.uptime <= clock.uptime()) return unwatchedSince(mark, clock, cause);
  return { from: setBack ? now - UNKNOWN : Math.min(mark.at, now), to: now, cause };
}

/**
 * What nobody watched between the last sign of life of a watcher on another machine and now. How long that was, the store's
 * clock says. A short one is a lag, and so is a small difference of the two wall clocks; a large one is a step of the clock.
 */
function takenOverSince(
  at: Instant,
  { written, seen }: NonNullable<LastMark["takenOver"]>,
  now: Instant,
): BlindSpan {
  const stepped = now - at - written;
  const cause = Math.abs(stepped) > FUTURE_TOLERANCE ? "step" : seen > OUTAGE ? "outage" : "lag";
  return { from: now - seen - Math.max(0, stepped), to: now, cause };
}

/**
 * The spans that we know of and a new one. A clock that was set back must not bring us to one again that is over: what
 * lies beyond the beginning of a break is of another time, or part of it.
 */
export function withSpan(known: readonly BlindSpan[], span: BlindSpan): BlindSpan[] {
  const limit = breaksTheWatch(span) ? span.from : span.to;
  const before = known.filter(({ from, to }) => from < limit || to === limit);
  return [...before.map((each) => (each.to > limit ? { ...each, to: limit } : each)), span];
}
