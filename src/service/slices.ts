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

/** For so many milliseconds places are compared before others get their turn; the clock is read after so many places. */
const TURN = 8;
const BETWEEN_LOOKS = 1000;

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
  let began = performance.now();
  let compared = 0;
  for (const place of places) {
    const { id } = place.agent;
    if (id > after && (last === undefined || id < last) && fits(place)) found.push(place);
    if (found.length >= 2 * count) settle();
    compared += 1;
    if (compared % BETWEEN_LOOKS !== 0 || performance.now() - began < TURN) continue;
    await othersFirst();
    began = performance.now();
  }
  settle();
  return found;
}
