import type { Clock } from "../src/ports/clock.ts";
import type { Time } from "./time.ts";

/** The clocks of the machine that it runs on. */
export type MachineClocks = Pick<Time, "wall" | "monotonic" | "uptime" | "onHost">;

const NOW = Promise.resolve();

/** One life of the watcher's process. When it is over, nothing that it began happens any more. */
export class Life {
  readonly number: number;
  readonly clock: Clock;
  readonly #time: MachineClocks;
  #over = false;

  constructor(number: number, time: MachineClocks) {
    this.number = number;
    this.#time = time;
    this.clock = {
      wall: time.wall,
      monotonic: time.monotonic,
      uptime: time.uptime,
      // Not queueMicrotask: a promise costs a third of it.
      soon: (call) => {
        void NOW.then(() => {
          if (!this.#over) call();
        });
      },
      after: (delay, call) => this.after(delay, call),
    };
  }

  get isOver(): boolean {
    return this.#over;
  }

  after(delay: number, call: () => void): () => void {
    return this.#time.onHost(delay, () => {
      if (!this.#over) call();
    });
  }

  end(): void {
    this.#over = true;
  }
}
