import type { Heads } from "./access/heads.ts";
import { PLAIN } from "./api/plain.ts";

/** The head of a request with beats, as the lane understands it. */
export interface LaneHead {
  readonly heads: Heads;
  /** Bytes of the body. */
  readonly length: number;
}

const START = `POST ${PLAIN.beats.path} HTTP/1.1\r\n`;
const LINE = /^([A-Za-z-]+):[ \t]*([\x21-\x7e]|[\x21-\x7e][\t\x20-\x7e]*[\x21-\x7e])[ \t]*$/;
const LENGTH = /^\d{1,5}$/;
/** Headers that decide nothing about beats. */
const IGNORED: ReadonlySet<string> = new Set([
  ...["content-type", "accept", "accept-encoding", "accept-language", "user-agent", "sec-fetch-mode"],
]);
/** Senders repeat themselves: so many heads are remembered. */
const REMEMBERED = 256;

const known = new Map<string, LaneHead>();

/** Where the head of a request with beats ends, its last empty line included; undefined if this is none, or not all of it. */
export function endOfHead(text: string): number | undefined {
  if (!text.startsWith(START)) return undefined;
  const end = text.indexOf("\r\n\r\n", START.length - 2);
  return end === -1 ? undefined : end + 4;
}

/**
 * Reads a head that `endOfHead` has found. Everything out of the ordinary is undefined, and left to node:http: other headers
 * than these, any of them twice, folded lines, bytes that are not printable, bodies without a length.
 */
export function readHead(head: string): LaneHead | undefined {
  const found = known.get(head);
  if (found !== undefined) return found;
  const read = parsed(head);
  // Tokens stay nowhere longer than they are needed.
  if (read === undefined || read.heads.authorization !== undefined) return read;
  if (known.size >= REMEMBERED) known.clear();
  known.set(head, read);
  return read;
}

function parsed(head: string): LaneHead | undefined {
  const fields = new Map<string, string>();
  for (const line of head.slice(START.length, -4).split("\r\n")) {
    const [, name = "", value = ""] = LINE.exec(line) ?? [];
    const key = name.toLowerCase();
    if (value === "" || fields.has(key)) return undefined;
    fields.set(key, value);
  }
  const take = (key: string) => {
    const value = fields.get(key);
    fields.delete(key);
    return value;
  };
  const length = take("content-length") ?? "";
  const connection = take("connection") ?? "keep-alive";
  const heads = { host: take("host"), authorization: take("authorization"), forwarded: false };
  for (const key of fields.keys()) if (!IGNORED.has(key)) return undefined;
  if (!LENGTH.test(length) || connection.toLowerCase() !== "keep-alive" || heads.host === undefined)
    return undefined;
  return { heads, length: Number(length) };
}
