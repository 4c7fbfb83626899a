import * as z from "zod";
import { type Instant, iso } from "../../core/duration.ts";
import type { Cursor, CursorPage } from "../../ports/repositories.ts";
import type { Page } from "../../ports/store.ts";
import { Listed } from "./listed.ts";

/** The most of one page. */
const MOST = 10_000;
/** A page ends before it has more bytes, unless it would have no item then. */
const MOST_BYTES = 4 * 1024 * 1024;
/** So many are read from the store at first, and at most, at a time: nobody knows how large the next ones are. */
const FIRST_LOT = 50;
const LARGEST_LOT = 200;

const WHOLE = `a whole number from 1 to ${MOST}`;
const INSTANT = "an ISO 8601 time such as 2026-01-31T08:00:00.000Z";

export const limit = z.coerce
  .number({ error: WHOLE })
  .int(WHOLE)
  .min(1, WHOLE)
  .max(MOST, WHOLE)
  .default(100)
  .meta({ description: "how many at most" });

/** Which page of a list is asked for: `limit`, and `before` an instant. */
export const pageQuery = z.object({
  limit,
  before: z.iso
    .datetime({ offset: true, error: INSTANT })
    .transform((text) => Date.parse(text))
    .optional()
    .meta({ description: "only what is older than this" }),
});

/** Of an agent's history, where many things happen at one moment, a page may begin within it. */
export const historyQuery = pageQuery.extend({
  skip: z.coerce
    .number({ error: "a whole number from 0 up" })
    .int("a whole number from 0 up")
    .min(0, "a whole number from 0 up")
    .default(0)
    .meta({ description: "without so many of the first ones, as in a page's `next`" }),
});

export const next = z
  .string()
  .nullable()
  .meta({ description: "the address of the next page, if there is one" });

const CURSOR = "the cursor of a page's `next`";

/** Of lists with ids, the next page begins after a cursor: the time and the id of the last one. */
export const cursorQuery = pageQuery.extend({
  cursor: z
    .string()
    .transform((text, context) => {
      const [, at, id] = /^(-?[\d.]+)_(.+)$/s.exec(text) ?? [];
      if (id !== undefined && Number.isFinite(Number(at))) return { at: Number(at), id };
      context.addIssue({ code: "custom", message: CURSOR });
      return z.NEVER;
    })
    .optional()
    .meta({ description: CURSOR }),
});

/** A page: its items as JSON, and the address of the next one. */
export interface Shown {
  readonly texts: readonly string[];
  readonly next: string | null;
}

/** A page of a list, newest first. */
export async function pagedByCursor<T>(
  url: URL,
  { limit, before, cursor }: z.output<typeof cursorQuery>,
  list: (page: CursorPage) => Promise<readonly T[]>,
  cursorOf: (item: T) => Cursor,
  show: (item: T) => unknown,
): Promise<Shown> {
  const { texts, more } = await gathered<T>(
    limit,
    (last, lot) => list({ before, after: last === undefined ? cursor : cursorOf(last), limit: lot }),
    show,
  );
  if (more === undefined) return { texts, next: null };
  const { at, id } = cursorOf(more);
  const address = new URLSearchParams(url.searchParams);
  address.set("cursor", `${at}_${id}`);
  return { texts, next: `${url.pathname}?${address}` };
}

/** A page of an agent's history, newest first. */
export async function paged<T>(
  url: URL,
  page: { readonly limit: number; readonly before?: number | undefined; readonly skip: number },
  list: (page: Page) => Promise<readonly T[]>,
  timeOf: (item: T) => Instant,
  show: (item: T) => unknown,
): Promise<Shown> {
  // Where the list goes on: before this time, without so many that were given already.
  let place: { readonly before?: number; readonly skip: number } = {
    ...(page.before === undefined ? {} : { before: page.before }),
    skip: page.skip,
  };
  const { texts, more } = await gathered(
    page.limit,
    (_, lot) => list({ ...place, limit: lot }),
    show,
    (item) => {
      const before = Math.floor(timeOf(item)) + 1;
      place = { before, skip: place.before === before ? place.skip + 1 : 1 };
    },
  );
  if (more === undefined) return { texts, next: null };
  const address = new URLSearchParams(url.searchParams);
  address.set("before", iso(place.before ?? 0));
  address.set("skip", String(place.skip));
  return { texts, next: `${url.pathname}?${address}` };
}

/**
 * Reads a list in lots until the page is full, by number or by bytes. Then `more` is the last item on it; it is undefined
 * if the list ends with this page. Between lots others get their turn.
 */
async function gathered<T>(
  limit: number,
  list: (last: T | undefined, lot: number) => Promise<readonly T[]>,
  show: (item: T) => unknown,
  took: (item: T) => void = () => {},
): Promise<{ readonly texts: readonly string[]; readonly more: T | undefined }> {
  const texts: string[] = [];
  let last: T | undefined;
  let bytes = 0;
  let lot = FIRST_LOT;
  for (;;) {
    const wanted = Math.min(lot, limit - texts.length);
    // One more than is wanted tells whether there are more.
    const found = await list(last, wanted + 1);
    for (const item of found.slice(0, wanted)) {
      const text = JSON.stringify(show(item));
      const size = Buffer.byteLength(text);
      if (last !== undefined && bytes + size > MOST_BYTES) return { texts, more: last };
      bytes += size;
      texts.push(text);
      last = item;
      took(item);
    }
    if (found.length <= wanted) return { texts, more: undefined };
    if (texts.length >= limit) return { texts, more: last };
    lot = Math.max(1, Math.min(LARGEST_LOT, Math.ceil(((MOST_BYTES - bytes) * texts.length) / bytes)));
  }
}

/** A page as it is answered: `{name: […], next, …more}`. */
export function listed(name: string, { texts, next }: Shown, more: object = {}): Listed {
  return new Listed(name, texts, { tail: () => ({ next, ...more }) });
}
