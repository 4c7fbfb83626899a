import type { Instant } from "../../core/duration.ts";
import type { HistoryPage } from "../../ports/store.ts";

/** What happened to each agent, oldest first; at equal times by rank, and then in the order of arrival. */
export class AgentHistory<T extends { readonly agent: string }> {
  readonly #lists = new Map<string, T[]>();
  readonly #timeOf: (item: T) => Instant;
  readonly #rankOf: (item: T) => number;

  constructor(timeOf: (item: T) => Instant, rankOf: (item: T) => number = () => 0) {
    this.#timeOf = timeOf;
    this.#rankOf = rankOf;
  }

  add(item: T): void {
    const list = this.#lists.get(item.agent);
    if (list === undefined) {
      this.#lists.set(item.agent, [item]);
      return;
    }
    const [time, rank] = [this.#timeOf(item), this.#rankOf(item)];
    const place = countFirst(list, (other) => {
      const otherTime = this.#timeOf(other);
      return otherTime < time || (otherTime === time && this.#rankOf(other) <= rank);
    });
    list.splice(place, 0, item);
  }

  remove(agent: string, unwanted: (item: T) => boolean): void {
    const list = this.#lists.get(agent);
    const place = list?.findLastIndex(unwanted) ?? -1;
    if (place >= 0) list?.splice(place, 1);
  }

  /** Newest first. */
  page(agent: string, { limit, before, skip = 0 }: HistoryPage): readonly T[] {
    const list = this.#lists.get(agent) ?? [];
    const older =
      before === undefined ? list.length : countFirst(list, (item) => this.#timeOf(item) < before);
    const end = Math.max(0, older - skip);
    return list.slice(Math.max(0, end - Math.max(0, Math.trunc(limit))), end).reverse();
  }

  /** Those from one moment on and before another, oldest first. */
  within(agent: string, from: Instant, until: Instant): readonly T[] {
    const list = this.#lists.get(agent) ?? [];
    const first = countFirst(list, (item) => this.#timeOf(item) < from);
    return list.slice(
      first,
      countFirst(list, (item) => this.#timeOf(item) < until),
    );
  }

  /** Forgets the old and gives them back. */
  prune(old: (item: T) => boolean): readonly T[] {
    const forgotten: T[] = [];
    for (const [agent, list] of this.#lists) {
      const kept: T[] = [];
      for (const item of list) (old(item) ? forgotten : kept).push(item);
      if (kept.length === 0) this.#lists.delete(agent);
      else if (kept.length < list.length) this.#lists.set(agent, kept);
    }
    return forgotten;
  }
}

/** How many at the beginning pass; those that do not all come after them. Nearly always all do: look there first. */
function countFirst<T>(list: readonly T[], passes: (item: T) => boolean): number {
  let [low, high] = [0, list.length];
  const last = list[high - 1];
  if (last !== undefined && passes(last)) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = list[middle];
    if (item !== undefined && passes(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
