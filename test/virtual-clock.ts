import type { Clock } from "../src/ports/clock.ts";

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/** Clocks that move only when told to, so that a day of watching takes a moment and is the same every time. */
export class VirtualClock implements Clock {
  #wall: number;
  #monotonic = 1000;
  #uptime = 50_000;
  #timers: Timer[] = [];

  constructor(wall: number) {
    this.#wall = wall;
  }

  wall = (): number => this.#wall;
  monotonic = (): number => this.#monotonic;
  uptime = (): number => this.#uptime;

  soon = queueMicrotask;

  after(delay: number, call: () => void): () => void {
    const timer = { at: this.#monotonic + Math.max(1, delay), call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Time passes, and whatever is due happens in its order. */
  async run(length: number): Promise<void> {
    const end = this.#monotonic + length;
    await settle();
    for (;;) {
      const next = this.#timers.reduce<Timer | undefined>(
        (first, timer) => (timer.at <= end && (first === undefined || timer.at < first.at) ? timer : first),
        undefined,
      );
      if (next === undefined) break;
      this.#pass(Math.max(0, next.at - this.#monotonic));
      this.#timers = this.#timers.filter((other) => other !== next);
      next.call();
      await settle();
    }
    this.#pass(end - this.#monotonic);
  }

  /** Somebody sets the clock: only the wall clock moves. */
  step(by: number): void {
    this.#wall += by;
  }

  /** The machine sleeps: the monotonic clock stands still. */
  suspend(length: number): void {
    this.#wall += length;
    this.#uptime += length;
  }

  /** Our process is held up (or gone): everything moves on, but nothing is called. */
  freeze(length: number): void {
    this.#pass(length);
  }

  /** Our process is killed: nobody waits for anything any more. */
  forget(): void {
    this.#timers = [];
  }

  #pass(length: number): void {
    this.#wall += length;
    this.#monotonic += length;
    this.#uptime += length;
  }
}

/** Lets everything that waits for a promise go on. */
function settle(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
