import { COLS, openTerminal, ROWS, type Terminal, type TerminalOptions } from "./terminal.ts";

/** Each takes some 200 KB. */
const MOST = 32;

/**
 * Terminals that were given up, to be used again. To open one takes several times as long as to blank one, and what it
 * leaves behind keeps the garbage collector busy.
 */
export class SpareTerminals {
  readonly #spare: Terminal[] = [];
  /** Those that are being blanked are among them. */
  #count = 0;

  open(size: TerminalOptions): Terminal {
    const { cols = COLS, rows = ROWS } = size;
    const at = this.#spare.findLastIndex((one) => one.cols === cols && one.rows === rows);
    const [spare] = at < 0 ? [] : this.#spare.splice(at, 1);
    if (spare === undefined) return openTerminal(size);
    this.#count -= 1;
    return spare;
  }

  /** Nobody writes to this one any more. */
  give(terminal: Terminal): void {
    if (this.#count >= MOST) {
      terminal.drop();
      return;
    }
    this.#count += 1;
    void terminal.reset().then(() => this.#spare.push(terminal));
  }
}
