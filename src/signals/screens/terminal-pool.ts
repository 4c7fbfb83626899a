/** A terminal costs up to 1.1 MB, so these are some 280 MB at most. */
const MOST = 256;

/** Something that holds a terminal and can do without. */
export interface TerminalHolder {
  drop(): void;
}

/**
 * Bounds how many terminals are held at once, however many logs grow. Who was fed longest ago gives its terminal up;
 * it is drawn again from the tail of its log when that grows. The bound must exceed the number of looks that are
 * under way at once, so that nobody loses the terminal that it is drawing on.
 */
export class TerminalPool {
  readonly #most: number;
  /** In the order in which they were last fed. */
  readonly #holders = new Set<TerminalHolder>();

  constructor(most = MOST) {
    this.#most = most;
  }

  /** This one is fed now. */
  fed(holder: TerminalHolder): void {
    this.#holders.delete(holder);
    this.#holders.add(holder);
    for (const oldest of this.#holders) {
      if (this.#holders.size <= this.#most) return;
      this.#holders.delete(oldest);
      oldest.drop();
    }
  }

  /** This one holds none any more. */
  gone(holder: TerminalHolder): void {
    this.#holders.delete(holder);
  }

  get size(): number {
    return this.#holders.size;
  }
}
