import * as z from "zod";
import { type ListPage, placeQuery, readCursor } from "../../service/page.ts";
import { asJson, Listed } from "./listed.ts";

export function bodyOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, { error: "expected an object" });
}

const MOST = 10_000;
const WHOLE = `a whole number from 1 to ${MOST}`;
const INSTANT = "an ISO 8601 time such as 2026-01-31T08:00:00.000Z";

export const limit = z.coerce
  .number({ error: WHOLE })
  .int(WHOLE)
  .min(1, WHOLE)
  .max(MOST, WHOLE)
  .default(100)
  .describe("how many at most");

/** Which page of a list is asked for: `limit`, and `before` an instant. */
export const pageQuery = z.object({
  limit,
  before: z.iso
    .datetime({ offset: true, error: INSTANT })
    .transform((text) => Date.parse(text))
    .optional()
    .describe("only what is older than this"),
});

/** Of an agent's history, where many things happen at one moment, a page may begin within it. */
export const historyQuery = pageQuery.extend({
  skip: z.coerce
    .number({ error: "a whole number from 0 up" })
    .int("a whole number from 0 up")
    .min(0, "a whole number from 0 up")
    .default(0)
    .describe("without so many of the first ones, as in a page's `next`"),
});

export const next = z.string().nullable().describe("the address of the next page, if there is one");

const CURSOR = "the cursor of a page's `next`";

/** Of lists that are kept, the next page begins after a cursor: the time and the id of the last one. */
export const cursorQuery = pageQuery.extend({
  cursor: z
    .string()
    .transform((text, context) => {
      const cursor = readCursor(text);
      if (cursor !== undefined) return cursor;
      context.addIssue({ code: "custom", message: CURSOR });
      return z.NEVER;
    })
    .optional()
    .describe(CURSOR),
});

/** A page as it is answered: `{name: […], next, …more}`. */
export function listed(url: URL, name: string, { items, next }: ListPage<object>, more: object = {}): Listed {
  const tail = () => ({ next: next === null ? null : addressOf(url, placeQuery(next)), ...more });
  return new Listed(name, asJson(items), { tail });
}

/** The same address with some parameters set. */
export function addressOf(url: URL, query: Readonly<Record<string, string>>): string {
  const asked = new URLSearchParams(url.searchParams);
  for (const [name, value] of Object.entries(query)) asked.set(name, value);
  return `${url.pathname}?${asked}`;
}
