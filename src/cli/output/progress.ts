import { type Millis, SECOND } from "../../core/duration.ts";

const AFTER: Millis = SECOND;
const EVERY: Millis = 100;

/** One line on a terminal that says how far a command is, once that takes longer than a second. */
export class ProgressLine {
  readonly #isShown = process.stderr.isTTY === true;
  #next = performance.now() + AFTER;
  #isThere = false;

  show(text: () => string): void {
    if (!this.#isShown || performance.now() < this.#next) return;
    this.#next = performance.now() + EVERY;
    this.#isThere = true;
    process.stderr.write(`\r\x1b[K${text().slice(0, (process.stderr.columns || 80) - 1)}`);
  }

  end(): void {
    if (this.#isThere) process.stderr.write("\r\x1b[K");
    this.#isThere = false;
  }
}
