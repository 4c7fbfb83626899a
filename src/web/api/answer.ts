import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import { PLAIN_HEADERS } from "../kit/problem.ts";
import { Listed } from "./listed.ts";

const compress = promisify(gzip);
/** What fits into one packet anyway gains nothing. */
const WORTH_IT = 1400;
/** A list that is longer is sent while it is made, and has no ETag: that would need all of it first. */
const WHOLE = 256 * 1024;

/** An answer in JSON: with an ETag if it was read, compressed if that is wanted and worth it. */
export async function answerJson(
  c: Context,
  status: 200 | 201 | 204,
  value: unknown,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers: Record<string, string> = { ...PLAIN_HEADERS, ...more };
  if (status === 204) return c.body(null, 204, headers);
  headers["content-type"] = "application/json";
  if (!(value instanceof Listed)) return whole(c, status, `${JSON.stringify(value)}\n`, headers);
  const pieces = value.pieces();
  let begun = "";
  for (;;) {
    const { done, value: piece } = await pieces.next();
    if (done === true) return whole(c, status, begun, headers);
    begun += piece;
    if (begun.length > WHOLE) return streamed(c, status, begun, pieces, headers);
  }
}

async function whole(
  c: Context,
  status: 200 | 201,
  text: string,
  headers: Record<string, string>,
): Promise<Response> {
  if (c.req.method === "GET" || c.req.method === "HEAD") {
    const etag = `W/"${createHash("sha1").update(text).digest("base64url")}"`;
    // It may be kept, but must be asked for again each time.
    Object.assign(headers, { etag, "cache-control": "private, no-cache", vary: "accept-encoding, cookie" });
    if (matches(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
  }
  if (!wantsGzip(c) || text.length < WORTH_IT) return c.body(text, status, headers);
  const bytes = await compress(text, { level: 5 });
  return c.body(new Uint8Array(bytes), status, { ...headers, "content-encoding": "gzip" });
}

/** Made at the pace at which the reader takes it. A reader that goes away ends it. */
function streamed(
  c: Context,
  status: 200 | 201,
  begun: string,
  pieces: AsyncGenerator<string>,
  headers: Record<string, string>,
): Response {
  headers.vary = "accept-encoding, cookie";
  const encoder = new TextEncoder();
  const bytes = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(encoder.encode(begun)),
    async pull(stream) {
      const { done, value } = await pieces.next();
      if (done === true) stream.close();
      else stream.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
  if (!wantsGzip(c)) return c.body(bytes, status, headers);
  const packed = bytes.pipeThrough(new CompressionStream("gzip"));
  return c.body(packed, status, { ...headers, "content-encoding": "gzip" });
}

function wantsGzip(c: Context): boolean {
  return /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
}

/** The weak comparison of RFC 9110. */
function matches(asked: string | undefined, etag: string): boolean {
  if (asked === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return asked.split(",").some((tag) => tag.trim() === "*" || bare(tag) === bare(etag));
}
