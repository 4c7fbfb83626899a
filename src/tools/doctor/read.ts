import { readdirSync } from "node:fs";
import { readNamedFile } from "../../system/files.ts";

const LARGEST = 16 * 1024 * 1024;

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
    return readNamedFile(file, LARGEST).toString("utf8");
  } catch {
    return undefined;
  }
}
