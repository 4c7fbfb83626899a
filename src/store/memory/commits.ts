import { REMEMBERED_IDS, sizeOf } from "../../ports/commit.ts";
import type { Changed, Commit } from "../../ports/store.ts";

/** The newest commits, by number. */
export class Commits {
  readonly #changed = new Map<number, Changed>();
  #last = 0;
  #ids = 0;

  get last(): number {
    return this.#last;
  }

  add(changed: Changed): number {
    this.#last += 1;
    this.#changed.set(this.#last, changed);
    this.#ids += sizeOf(changed);
    for (const [number, oldest] of this.#changed) {
      if (this.#ids - sizeOf(oldest) < REMEMBERED_IDS) break;
      this.#changed.delete(number);
      this.#ids -= sizeOf(oldest);
    }
    return this.#last;
  }

  since(number: number, limit: number): readonly Commit[] | "too-old" {
    const first = this.#last - this.#changed.size + 1;
    if (number < first - 1 || number > this.#last) return "too-old";
    const found: Commit[] = [];
    for (let at = number + 1; at <= this.#last && found.length < limit; at++) {
      found.push({ number: at, changed: this.#changed.get(at) ?? {} });
    }
    return found;
  }
}
