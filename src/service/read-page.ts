import type { Instant } from "../core/duration.ts";
import type { Cursor, CursorPage } from "../ports/repositories.ts";
import type { HistoryPage as StorePage } from "../ports/store.ts";
import { type ListPage, type PageStart, sizeOfItem, type WantedPage } from "./page.ts";

/** A page ends before it has more bytes, unless it would have no item then. */
const MOST_BYTES = 4 * 1024 * 1024;
/** So many are read from the store at first, and at most, at a time: nobody knows how large the next ones are. */
const FIRST_LOT = 50;
const LARGEST_LOT = 200;

/** A page of a list that goes on after a cursor, newest first. */
export async function cursorPage<T, Item extends object>(
  { limit, before, cursor }: WantedPage,
  cursorOf: (item: T) => Cursor,
  show: (item: T) => Item,
  list: (page: CursorPage) => Promise<readonly T[]>,
): Promise<ListPage<Item>> {
  let last = cursor;
  const { items, isLast } = await gathered(
    limit,
    (lot) => list({ before, after: last, limit: lot }),
    show,
    (item: T) => {
      last = cursorOf(item);
    },
  );
  return { items, next: isLast || last === undefined ? null : { cursor: last } };
}

/** A page of an agent's history, newest first. Many things can have one time, so a page may begin between them. */
export async function historyPage<
  Time extends string,
  T extends Readonly<Record<Time, Instant>>,
  Item extends object,
>(
  { limit, before, skip = 0 }: WantedPage,
  time: Time,
  show: (record: T) => Item,
  list: (page: StorePage) => Promise<readonly T[]>,
): Promise<ListPage<Item>> {
  let place: { readonly before?: Instant; readonly skip: number } = {
    ...(before === undefined ? {} : { before }),
    skip,
  };
  const { items, isLast } = await gathered(
    limit,
    (lot) => list({ ...place, limit: lot }),
    show,
    (record) => {
      const end = Math.floor(record[time]) + 1;
      place = { before: end, skip: place.before === end ? place.skip + 1 : 1 };
    },
  );
  const next: PageStart | null = isLast ? null : place;
  return { items, next };
}

/** Reads a list in lots until the page is full, by number or by bytes. Between lots others get their turn. */
async function gathered<T, Item extends object>(
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
      const size = sizeOfItem(item);
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
