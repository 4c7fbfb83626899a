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

/**
 * A signal that aborts with another, or when the time is over; `done` must be called. `AbortSignal.any` will not do: in
 * Node 20 it may be collected as garbage before it fires.
 */
export function within(
  limit: Millis,
  clock: Pick<Clock, "after">,
  abort?: AbortSignal,
): { readonly signal: AbortSignal; readonly done: () => void } {
  const own = new AbortController();
  const end = () => own.abort();
  const cancel = clock.after(limit, end);
  abort?.addEventListener("abort", end);
  if (abort?.aborted) end();
  const done = () => {
    cancel();
    abort?.removeEventListener("abort", end);
  };
  return { signal: own.signal, done };
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
