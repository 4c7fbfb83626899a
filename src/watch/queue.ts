import type { Clock } from "../ports/clock.ts";
import type { IncidentCommand } from "./incident-desk.ts";
import type { Intent } from "./intent.ts";

/** How much one turn takes before it is committed and others get their turn. */
const SLICE = 1024;

/** Something that waits for the next commit, and who must be told how it went. */
export interface Waiting {
  readonly intent: Intent | { readonly kind: "command"; readonly command: IncidentCommand };
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export interface QueueOptions {
  readonly clock: Clock;
  /** Whether there is something to do although nothing waits. */
  readonly isDue: () => boolean;
  readonly turn: (waiting: readonly Waiting[]) => Promise<void>;
}

/** Everything waits in one line; turns take it up one after the other, as long as there is something to do. */
export class Queue {
  readonly #options: QueueOptions;
  #line: Waiting[] = [];
  #turns = 0;
  #busy = false;
  #pumpComes = false;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** How many turns have ended. */
  get turns(): number {
    return this.#turns;
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  /** Resolves when it is committed; rejects if it is refused or cannot be stored. */
  add(intent: Waiting["intent"]): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("the watcher is stopping"));
    return new Promise((done, failed) => {
      this.#line.push({ intent, done, failed });
      this.#pumpSoon();
    });
  }

  /** Takes nothing new; resolves when what waits is done. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#busy || this.#pumpComes) await new Promise<void>((done) => this.#idle.push(done));
  }

  /** Not at once: what arrives together is committed together. */
  #pumpSoon(): void {
    if (this.#busy || this.#pumpComes) return;
    this.#pumpComes = true;
    this.#options.clock.soon(() => {
      this.#pumpComes = false;
      void this.pump();
    });
  }

  async pump(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#line.length > 0 || this.#options.isDue()) {
        await this.#options.turn(this.#line.splice(0, SLICE));
        this.#turns += 1;
      }
    } finally {
      this.#busy = false;
      for (const done of this.#idle.splice(0)) done();
    }
  }
}
