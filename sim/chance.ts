/** Random numbers that depend on nothing but the seed, so that every run can be repeated. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** Uniform in [0, 1) (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Whether something happens that happens with this probability. */
  hit(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  one<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    for (let at = left.length - 1; at > 0; at--) {
      const other = this.between(0, at);
      [left[at], left[other]] = [left[other] as T, left[at] as T];
    }
    return left;
  }
}
