import { setImmediate as othersFirst } from "node:timers/promises";
import type { RollPlace } from "../watch/roll-place.ts";

/** The items, so many at a time; between two slices others get their turn. */
export async function* slices<Item>(items: Iterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  let slice: Item[] = [];
  for (const item of items) {
    slice.push(item);
    if (slice.length < size) continue;
    yield slice;
    slice = [];
    await othersFirst();
  }
  if (slice.length > 0) yield slice;
}

/** How many places are compared before others get their turn. On a busy hub each of those turns takes longer than this. */
const COMPARED = 10_000;

/** The first places by id that come after an id and fit, without sorting all of a large roll. */
export async function firstAfter(
  places: Iterable<RollPlace>,
  after: string,
  count: number,
  fits: (place: RollPlace) => boolean = () => true,
): Promise<readonly RollPlace[]> {
  let found: RollPlace[] = [];
  /** The last one so far; what comes after it is not among the first. */
  let last: string | undefined;
  const settle = () => {
    found = found.sort((a, b) => (a.agent.id < b.agent.id ? -1 : 1)).slice(0, count);
    if (found.length === count) last = found.at(-1)?.agent.id;
  };
  for await (const some of slices(places, COMPARED)) {
    for (const place of some) {
      const { id } = place.agent;
      if (id > after && (last === undefined || id < last) && fits(place)) found.push(place);
    }
    if (found.length >= 2 * count) settle();
  }
  settle();
  return found;
}
