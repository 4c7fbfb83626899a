import type { IncomingMessage } from "node:http";

/** The headers that decide who asks and from where. */
export interface Heads {
  host: string | undefined;
  origin: string | undefined;
  site: string | undefined;
  /** What a browser wants to do with the answer: `navigate` is a person who follows a link. */
  mode: string | undefined;
  authorization: string | undefined;
  cookie: string | undefined;
  /** Somebody passed the request on: then its address is not the sender's. */
  forwarded: boolean;
}

/** Straight from the raw list: making the object of all headers would cost as much as the rest of a beat's way. */
export function headsOf(request: IncomingMessage): Heads {
  const list = request.rawHeaders;
  const heads: Heads = {
    host: undefined,
    origin: undefined,
    site: undefined,
    mode: undefined,
    authorization: undefined,
    cookie: undefined,
    forwarded: false,
  };
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i] ?? "";
    // Most names are told apart by their length alone.
    switch (name.length) {
      case 3:
        if (name.toLowerCase() === "via") heads.forwarded = true;
        break;
      case 4:
        if (name.toLowerCase() === "host") heads.host ??= list[i + 1];
        break;
      case 6: {
        const lower = name.toLowerCase();
        if (lower === "origin") heads.origin ??= list[i + 1];
        else if (lower === "cookie") heads.cookie ??= list[i + 1];
        break;
      }
      case 9: {
        const lower = name.toLowerCase();
        if (lower === "forwarded" || lower === "x-real-ip") heads.forwarded = true;
        break;
      }
      case 13:
        if (name.toLowerCase() === "authorization") heads.authorization ??= list[i + 1];
        break;
      case 14: {
        const lower = name.toLowerCase();
        if (lower === "sec-fetch-site") heads.site ??= list[i + 1];
        else if (lower === "sec-fetch-mode") heads.mode ??= list[i + 1];
        break;
      }
    }
    if (name.length > FORWARDED.length && name.slice(0, FORWARDED.length).toLowerCase() === FORWARDED)
      heads.forwarded = true;
  }
  return heads;
}

/** Whatever follows: `-For`, `-Proto`, `-Host` and what proxies have made up besides. */
const FORWARDED = "x-forwarded-";
