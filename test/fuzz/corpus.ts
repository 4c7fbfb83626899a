import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What once broke a parser, one file each: it is read again at every run. */
export function corpusOf(folder: string, target: string): readonly { name: string; input: Uint8Array }[] {
  const place = join(folder, target);
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .sort()
    .map((name) => ({ name, input: readFileSync(join(place, name)) }));
}
