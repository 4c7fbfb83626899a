import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { unwritable } from "./error.ts";

/**
 * Writes a file beside its place and moves it there, so that no reader ever sees a half of it. Names that
 * begin with a dot are ignored by whoever reads the folder. `durable` puts the content on the disk first.
 */
export function placeFile(temporary: string, path: string, text: string, durable: boolean): void {
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(file, text);
      if (durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (cause) {
    try {
      unlinkSync(temporary);
    } catch {
      // It was never created, or cannot be removed either: the first error is the one to tell.
    }
    throw unwritable(path, cause);
  }
}
