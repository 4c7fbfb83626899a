import type { IncomingMessage } from "node:http";

/** The headers that decide who asks and from where. */
export interface Heads {
  host?: string | undefined;
  origin?: string | undefined;
  site?: string | undefined;
  /** What a browser wants to do with the answer: `navigate` is a person who follows a link. */
  mode?: string | undefined;
  authorization?: string | undefined;
  cookie?: string | undefined;
  /** Another hub passed the request on, and proves itself with this; it says who asked it, and from where. */
  hub?: string | undefined;
  hubCaller?: string | undefined;
  hubFrom?: string | undefined;
  /** Somebody passed the request on: then its address is not the sender's. */
  forwarded: boolean;
}

const FIELDS: ReadonlyMap<string, Exclude<keyof Heads, "forwarded">> = new Map([
  ["host", "host"],
  ["origin", "origin"],
  ["sec-fetch-site", "site"],
  ["sec-fetch-mode", "mode"],
  ["authorization", "authorization"],
  ["cookie", "cookie"],
  ["rollcall-hub", "hub"],
  ["rollcall-caller", "hubCaller"],
  ["rollcall-from", "hubFrom"],
]);
const FORWARDED: ReadonlySet<string> = new Set(["via", "forwarded", "x-real-ip"]);

/** Straight from the raw list: making the object of all headers would cost as much as the rest of a beat's way. */
export function headsOf({ rawHeaders: list }: IncomingMessage): Heads {
  const heads: Heads = { forwarded: false };
  for (let i = 0; i < list.length; i += 2) {
    const name = (list[i] ?? "").toLowerCase();
    const field = FIELDS.get(name);
    if (field !== undefined) heads[field] ??= list[i + 1];
    // Whatever follows: `-For`, `-Proto`, `-Host` and the names that proxies have made up besides.
    else if (FORWARDED.has(name) || name.startsWith("x-forwarded-")) heads.forwarded = true;
  }
  return heads;
}
