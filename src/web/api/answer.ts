import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import { PLAIN_HEADERS } from "../problem.ts";

const compress = promisify(gzip);
/** What fits into one packet anyway gains nothing. */
const WORTH_IT = 1400;

/** An answer in JSON: with an ETag if it was read, compressed if that is wanted and worth it. */
export async function answerJson(
  c: Context,
  status: 200 | 201 | 204,
  value: unknown,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers: Record<string, string> = { ...PLAIN_HEADERS, ...more };
  if (status === 204) return c.body(null, 204, headers);
  const text = `${JSON.stringify(value)}\n`;
  headers["content-type"] = "application/json";
  if (c.req.method === "GET" || c.req.method === "HEAD") {
    const etag = `W/"${createHash("sha1").update(text).digest("base64url")}"`;
    // It may be kept, but must be asked for again each time.
    Object.assign(headers, { etag, "cache-control": "private, no-cache", vary: "accept-encoding, cookie" });
    if (matches(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
  }
  const wanted = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  if (!wanted || text.length < WORTH_IT) return c.body(text, status, headers);
  const bytes = await compress(text, { level: 5 });
  return c.body(new Uint8Array(bytes), status, { ...headers, "content-encoding": "gzip" });
}

/** The weak comparison of RFC 9110. */
function matches(asked: string | undefined, etag: string): boolean {
  if (asked === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return asked.split(",").some((tag) => tag.trim() === "*" || bare(tag) === bare(etag));
}
