import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";

/** No honest beat is larger, and nobody may fill our memory. */
const LARGEST_BODY = 1024 * 1024;

export type Body =
  | { readonly text: string }
  | { readonly refused: "too-large" | "bad-json"; readonly why: string };

/** The value of a body in JSON. */
export function jsonOf(body: Body): { readonly value: unknown } | Exclude<Body, { text: string }> {
  if ("refused" in body) return body;
  try {
    return { value: JSON.parse(body.text) as unknown };
  } catch (error) {
    return { refused: "bad-json", why: error instanceof Error ? error.message : "not JSON" };
  }
}

/** Reads a body whole, in callbacks: this is the way of every beat. A sender that goes away is not answered. */
export function readBody(request: IncomingMessage, done: (body: Body) => void): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > LARGEST_BODY) {
      if (size - chunk.length <= LARGEST_BODY) done({ refused: "too-large", why: "the limit is 1 MiB" });
    } else if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on("end", () => {
    if (size > LARGEST_BODY) return;
    const bytes = more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more);
    done(
      isUtf8(bytes)
        ? { text: bytes.toString("utf8") }
        : { refused: "bad-json", why: "the body is not valid UTF-8" },
    );
  });
}
