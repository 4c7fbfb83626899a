import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";

/** No honest beat is larger, and nobody may fill our memory. */
const LARGEST_BODY = 1024 * 1024;

export type Body = { readonly text: string } | { readonly refused: "too-large" | "not-utf8" };

/** Reads a body whole, in callbacks: this is the way of every beat. A sender that goes away is not answered. */
export function readBody(request: IncomingMessage, done: (body: Body) => void): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > LARGEST_BODY) {
      if (size - chunk.length <= LARGEST_BODY) done({ refused: "too-large" });
    } else if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on("end", () => {
    if (size > LARGEST_BODY) return;
    const bytes = more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more);
    done(isUtf8(bytes) ? { text: bytes.toString("utf8") } : { refused: "not-utf8" });
  });
}
