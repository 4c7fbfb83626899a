/** What JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A copy of a value as JSON carries it, 64-bit integers as text. Throws for what JSON cannot carry. */
export function asJson(value: unknown): Json {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
  if (text === undefined) throw new TypeError(`${typeof value} is not JSON`);
  return JSON.parse(text) as Json;
}
