import type { Instant, Millis } from "../src/core/duration.ts";

interface Timer {
  at: Millis;
  order: number;
  /** On the watcher's host: the reading of its monotonic clock at which it is due. */
  readonly due: Millis | undefined;
  call: (() => void) | undefined;
  /** Nothing follows from it at once: it only sets or checks something. */
  readonly quiet: boolean;
}

const NOW = Promise.resolve();

/**
 * The time of the simulated world, and the clocks of the watcher's host. `now` is the true time, which nobody in the
 * world can read; timers are a heap in its order. Those of the host stand still with it.
 */
export class Time {
  now: Millis = 0;
  readonly #heap: Timer[] = [];
  readonly #start: Instant;
  #order = 0;
  #set: Millis = 0;
  #slept: Millis = 0;
  #heldUntil: Millis = 0;

  constructor(start: Instant) {
    this.#start = start;
  }

  wall = (): Instant => this.#start + this.now + this.#set;
  monotonic = (): Millis => 1000 + this.now - this.#slept;
  uptime = (): Millis => 50_000 + this.now;

  get held(): boolean {
    return this.#heldUntil > this.now;
  }

  /** Something of the world outside happens after a while. */
  after(delay: Millis, call: () => void, quiet = false): void {
    this.#push({ at: this.now + Math.max(0, delay), order: this.#order++, due: undefined, call, quiet });
  }

  /** The same for what the watcher hears nothing of. */
  quietly(delay: Millis, call: () => void): void {
    this.after(delay, call, true);
  }

  /** A timer on the watcher's host; the answer cancels it. */
  onHost(delay: Millis, call: () => void): () => void {
    const wait = Math.max(1, delay);
    const timer = {
      at: this.now + wait,
      order: this.#order++,
      due: this.monotonic() + wait,
      call: call as Timer["call"],
      quiet: false,
    };
    this.#push(timer);
    return () => {
      timer.call = undefined;
    };
  }

  /** Somebody sets the host's wall clock. */
  step(by: Millis): void {
    this.#set += by;
  }

  /** The host stands still. If it sleeps, its monotonic clock does too. */
  hold(length: Millis, asleep: boolean): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.now + length);
    if (asleep) this.#slept += length;
  }

  /**
   * Lets everything happen until then, each thing with all that follows from it at once: the next one is called when no
   * promise has anything left to do. Node runs what was put off with nextTick only when its queue of microtasks is
   * empty; and unlike setImmediate that does not go through the event loop.
   */
  run(end: Millis, goOn: () => boolean): Promise<void> {
    return new Promise((done, failed) => {
      const next = () => {
        try {
          while (goOn()) {
            const timer = this.#heap[0];
            if (timer === undefined || timer.at > end) break;
            this.#pop();
            if (!this.#happens(timer) || timer.quiet) continue;
            // From a promise: what a tick puts off is run before them.
            void NOW.then(later);
            return;
          }
          done();
        } catch (error) {
          failed(error);
        }
      };
      const later = () => process.nextTick(next);
      later();
    });
  }

  /** False if it was cancelled, or has to wait. */
  #happens(timer: Timer): boolean {
    const { call, due } = timer;
    if (call === undefined) return false;
    this.now = timer.at;
    if (due !== undefined && this.#mustWait(timer, due)) return false;
    call();
    return true;
  }

  #mustWait(timer: Timer, due: Millis): boolean {
    const wait = this.held ? this.#heldUntil - this.now : due - this.monotonic();
    if (wait <= 0) return false;
    timer.at = this.now + wait;
    // Behind what has ended the standstill.
    timer.order = this.#order++;
    this.#push(timer);
    return true;
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(timer);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const other = heap[parent] as Timer;
      if (isBefore(other, timer)) break;
      heap[place] = other;
      place = parent;
    }
    heap[place] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Timer;
    const size = heap.length;
    if (size === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
      const other = heap[child] as Timer;
      if (isBefore(last, other)) break;
      heap[place] = other;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
