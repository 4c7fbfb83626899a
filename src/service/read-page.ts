import type { Instant } from "../core/duration.ts";
import type { KeptPage, Page as StorePage } from "../ports/store.ts";
import type { Page, Place, Wanted } from "./page.ts";

/** A page ends before it has more bytes, unless it would have no item then. */
const MOST_BYTES = 4 * 1024 * 1024;
/** So many are read from the store at first, and at most, at a time: nobody knows how large the next ones are. */
const FIRST_LOT = 50;
const LARGEST_LOT = 200;

/** Something that is kept, as far as a page cares. */
interface Thing<Body> {
  readonly at: Instant;
  readonly id: string;
  readonly body: Body;
}

/** A page of what is kept, newest first. */
export async function keptPage<Body, Item>(
  { limit, before, cursor }: Wanted,
  list: (page: KeptPage) => Promise<readonly Thing<Body>[]>,
  show: (body: Body) => Item,
): Promise<Page<Item>> {
  const from = cursor !== undefined ? { after: cursor } : before !== undefined ? { before } : {};
  let last: Thing<Body> | undefined;
  const { items, isLast } = await gathered<Thing<Body>, Item>(
    limit,
    (lot) => {
      const place = last === undefined ? from : { after: { at: last.at, id: last.id } };
      return list({ ...place, limit: lot });
    },
    ({ body }) => show(body),
    (thing) => {
      last = thing;
    },
  );
  const next = isLast || last === undefined ? null : { cursor: { at: last.at, id: last.id } };
  return { items, next };
}

/** A page of an agent's history, newest first. Many things can have one time, so a page may begin between them. */
export async function historyPage<Record, Item>(
  { limit, before, skip = 0 }: Wanted,
  list: (page: StorePage) => Promise<readonly Record[]>,
  timeOf: (record: Record) => Instant,
  show: (record: Record) => Item,
): Promise<Page<Item>> {
  let place: { readonly before?: Instant; readonly skip: number } = {
    ...(before === undefined ? {} : { before }),
    skip,
  };
  const { items, isLast } = await gathered(
    limit,
    (lot) => list({ ...place, limit: lot }),
    show,
    (record) => {
      const end = Math.floor(timeOf(record)) + 1;
      place = { before: end, skip: place.before === end ? place.skip + 1 : 1 };
    },
  );
  const next: Place | null = isLast ? null : place;
  return { items, next };
}

/** Reads a list in lots until the page is full, by number or by bytes. Between lots others get their turn. */
async function gathered<T, Item>(
  limit: number,
  list: (lot: number) => Promise<readonly T[]>,
  show: (item: T) => Item,
  took: (item: T) => void,
): Promise<{ readonly items: readonly Item[]; readonly isLast: boolean }> {
  const items: Item[] = [];
  let bytes = 0;
  let lot = FIRST_LOT;
  for (;;) {
    const wanted = Math.min(lot, limit - items.length);
    // One more than is wanted tells whether there are more.
    const found = await list(wanted + 1);
    for (const each of found.slice(0, wanted)) {
      const item = show(each);
      const size = Buffer.byteLength(JSON.stringify(item));
      if (items.length > 0 && bytes + size > MOST_BYTES) return { items, isLast: false };
      bytes += size;
      items.push(item);
      took(each);
    }
    if (found.length <= wanted) return { items, isLast: true };
    if (items.length >= limit) return { items, isLast: false };
    lot = Math.max(1, Math.min(LARGEST_LOT, Math.ceil(((MOST_BYTES - bytes) * items.length) / bytes)));
  }
}
