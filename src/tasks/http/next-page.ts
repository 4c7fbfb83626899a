import { TaskSourceError } from "../../ports/task-source.ts";

/**
 * Where the list goes on: the Link header's rel="next", or else `next` in the body; undefined at the end. It must stay on
 * the server that the config names, because the token goes there.
 */
export function nextPage(
  { url, link, next }: { readonly url: string; readonly link: string | undefined; readonly next: unknown },
  name: string,
): string | undefined {
  const said = linked(link) ?? next ?? undefined;
  if (said === undefined || said === "") return undefined;
  const wrong = (what: string) => new TaskSourceError("bad-paging", `${name}: next: expected ${what}`);
  if (typeof said !== "string" || !URL.canParse(said, url)) throw wrong("an address, or null at the end");
  const found = new URL(said, url);
  if (found.origin !== new URL(url).origin) throw wrong("an address on the same server");
  if (found.username !== "" || found.password !== "") throw wrong("an address without a user or a password");
  found.hash = "";
  return found.href;
}

function linked(header: string | undefined): string | undefined {
  for (const [, address, parameters] of header?.matchAll(/<([^>]*)>([^<]*)/g) ?? []) {
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters ?? "");
    const names = (relations?.[1] ?? relations?.[2] ?? "").toLowerCase().split(/\s+/);
    if (names.includes("next")) return address;
  }
  return undefined;
}
