import { type Instant, iso } from "../core/duration.ts";

/** Where in a list a page begins. The API's queries use the same names. */
export interface PageStart {
  readonly before?: Instant | undefined;
  /** Without so many of the first ones. */
  readonly skip?: number | undefined;
  /** Only items after this one; it replaces `before`. */
  readonly cursor?: { readonly at: Instant; readonly id: string } | undefined;
}

export interface WantedPage extends PageStart {
  readonly limit: number;
}

/** A page of a list, newest first. It may end before its limit, because pages are limited in bytes as well. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null if this one is the last. */
  readonly next: PageStart | null;
}

const measured = new WeakMap<object, string>();

/** The bytes of an item as JSON. That text is kept as long as the item: sending the page does not encode it again. */
export function sizeOfItem(item: object): number {
  const text = JSON.stringify(item);
  measured.set(item, text);
  return Buffer.byteLength(text);
}

export function jsonOfItem(item: object): string {
  return measured.get(item) ?? JSON.stringify(item);
}

export function placeQuery({ before, skip, cursor }: PageStart): Record<string, string> {
  return {
    ...(before === undefined ? {} : { before: iso(before) }),
    ...(skip === undefined ? {} : { skip: String(skip) }),
    ...(cursor === undefined ? {} : { cursor: `${cursor.at}_${cursor.id}` }),
  };
}

/** The place that an address with such parameters names. */
export function placeIn(query: URLSearchParams): PageStart {
  const [before, skip, cursor] = ["before", "skip", "cursor"].map((name) => query.get(name));
  return {
    ...(before == null ? {} : { before: Date.parse(before) }),
    ...(skip == null ? {} : { skip: Number(skip) }),
    ...(cursor == null ? {} : { cursor: readCursor(cursor) }),
  };
}

export function readCursor(text: string): PageStart["cursor"] {
  const [, at, id] = /^(-?[\d.]+)_(.+)$/s.exec(text) ?? [];
  return id !== undefined && Number.isFinite(Number(at)) ? { at: Number(at), id } : undefined;
}

/** Reads page after page until there are as many items as wanted. */
export async function firstOf<Item>(
  limit: number,
  list: (wanted: WantedPage) => Promise<ListPage<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: PageStart | null = {};
  while (next !== null && items.length < limit) {
    const page: ListPage<Item> = await list({ ...next, limit: limit - items.length });
    items.push(...page.items);
    next = page.next;
  }
  return items;
}
