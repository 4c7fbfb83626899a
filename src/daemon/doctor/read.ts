import { readdirSync, readFileSync } from "node:fs";

/** The names in a folder, in order; none if it cannot be read. */
export function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** What stands in a file; undefined if it cannot be read. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
