import * as z from "zod";
import { type Instant, iso } from "../../core/duration.ts";
import type { Kept, KeptPage, Kind, Page } from "../../ports/store.ts";

/** The most of one page. */
const MOST = 10_000;

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

export const next = z
  .string()
  .nullable()
  .meta({ description: "the address of the next page, if there is one" });

const CURSOR = "the cursor of a page's `next`";

/** Of lists that are kept, the next page begins after a cursor: the time and the id of the last one. */
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

/** A page of what is kept, newest first, with the address of the next one. */
export async function pagedKept<K extends Kind>(
  url: URL,
  { limit, before, cursor }: z.output<typeof cursorQuery>,
  list: (page: KeptPage) => Promise<readonly Kept<K>[]>,
): Promise<{ items: readonly Kept<K>[]; next: string | null }> {
  const from = cursor !== undefined ? { after: cursor } : before !== undefined ? { before } : {};
  const found = await list({ ...from, limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (last === undefined || found.length <= limit) return { items, next: null };
  const address = new URLSearchParams(url.searchParams);
  address.set("cursor", `${last.at}_${last.id}`);
  return { items, next: `${url.pathname}?${address}` };
}

/**
 * A page of a list, newest first, with the address of the next one. It ends where the time changes, because the next
 * page begins before a time: what has the same time as the last one would be passed over.
 */
export async function paged<T>(
  url: URL,
  page: { readonly limit: number; readonly before?: number | undefined },
  list: (page: Page) => Promise<readonly T[]>,
  timeOf: (item: T) => Instant,
): Promise<{ items: readonly T[]; next: string | null }> {
  const before = page.before === undefined ? {} : { before: page.before };
  for (let wanted = page.limit; ; wanted *= 10) {
    const found = await list({ ...before, limit: wanted + 1 });
    const beyond = found[wanted];
    if (beyond === undefined) return { items: found, next: null };
    const items = found.slice(0, wanted).filter((item) => timeOf(item) > timeOf(beyond));
    const last = items.at(-1);
    // All of one moment: then the page is longer than was asked.
    if (last === undefined) continue;
    const address = new URLSearchParams(url.searchParams);
    address.set("before", iso(timeOf(last)));
    return { items, next: `${url.pathname}?${address}` };
  }
}
