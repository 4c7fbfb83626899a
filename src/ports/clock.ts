import type { Instant, Millis } from "../core/duration.ts";

/** Three clocks, because none of them is right alone, and a timer. */
export interface Clock {
  /** What people and calendars call now. It can be set, forwards and backwards. */
  wall(): Instant;
  /** Runs while we run: it stands still while the machine is suspended. */
  monotonic(): Millis;
  /** Runs since the machine started, in suspend too. */
  uptime(): Millis;
  /** Calls once, after everything that has already arrived has been read. */
  soon(call: () => void): void;
  /** Calls once after a while; the answer cancels it. */
  after(delay: Millis, call: () => void): () => void;
}

/** Some time passes, unless we stop before. */
export function pause(length: Millis, clock: Pick<Clock, "after">, abort: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (abort.aborted) return done();
    const end = () => {
      cancel();
      abort.removeEventListener("abort", end);
      done();
    };
    const cancel = clock.after(length, end);
    abort.addEventListener("abort", end);
  });
}
