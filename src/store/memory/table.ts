import type { Cursor, CursorPage } from "../../ports/repositories.ts";

/** Rows by id, read in pages: newest first, at equal times the greater id first. */
export class Table<T> {
  readonly #rows = new Map<string, T>();
  readonly #idOf: (row: T) => string;
  readonly #placeOf: (row: T) => Cursor;

  constructor(placeOf: (row: T) => Cursor, idOf: (row: T) => string = (row) => placeOf(row).id) {
    this.#placeOf = placeOf;
    this.#idOf = idOf;
  }

  put(row: T): void {
    this.#rows.set(this.#idOf(row), row);
  }

  one(id: string): T | undefined {
    return this.#rows.get(id);
  }

  /** All that pass, oldest first. */
  all(passes: (row: T) => boolean): T[] {
    return [...this.#rows.values()].filter(passes).sort((a, b) => this.#compare(a, b));
  }

  page({ limit, after, before, since }: CursorPage, passes: (row: T) => boolean): T[] {
    const found = this.all((row) => {
      const { at, id } = this.#placeOf(row);
      if (since !== undefined && at < since) return false;
      if (after !== undefined) {
        if (at > after.at || (at === after.at && id >= after.id)) return false;
      } else if (before !== undefined && at >= before) return false;
      return passes(row);
    });
    return found.reverse().slice(0, Math.max(0, Math.trunc(limit)));
  }

  /** Forgets what is over and older. */
  prune(before: number, isOver: (row: T) => boolean): void {
    for (const [id, row] of this.#rows) {
      if (isOver(row) && this.#placeOf(row).at < before) this.#rows.delete(id);
    }
  }

  #compare(a: T, b: T): number {
    const [left, right] = [this.#placeOf(a), this.#placeOf(b)];
    return left.at - right.at || (left.id < right.id ? -1 : 1);
  }
}
