import type { Trouble } from "../../ports/forge.ts";
import type { Connection } from "./connection.ts";

/** Makes the labels that are missing, at a forge that knows labels by their names. */
export async function labelNames(
  connection: Connection,
  path: string,
  names: readonly string[],
  { color, taken }: { readonly color: string; readonly taken: number },
): Promise<{ readonly labels: readonly string[] } | Trouble> {
  for (const name of names) {
    const what = `look for the label ${name}`;
    const known = await connection.ask(what, "GET", `${path}/${encodeURIComponent(name)}`, { allow: [404] });
    if ("trouble" in known) return known.trouble;
    if (known.reply.status !== 404) continue;
    // The status `taken` says that somebody else has just made it.
    const request = { body: { name, color }, allow: [taken] };
    const made = await connection.ask(`create the label ${name}`, "POST", path, request);
    if ("trouble" in made) return made.trouble;
  }
  return { labels: names };
}
