import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { connectToRead } from "./connection.ts";

const CHUNK = 1 << 20;

/**
 * Copies the database as it is committed now to `<file>.v<version>.bak`. A copy is complete once it has that
 * name, so a crash leaves at most a `.tmp` that the next one replaces. An earlier copy is never overwritten: if
 * it says the same it serves again, otherwise the new one takes the next free number. The caller holds the
 * write lock, hence nobody else makes the same copy meanwhile.
 */
export function copyBefore(file: string, version: number): string {
  const temporary = `${file}.v${version}.bak.tmp`;
  rmSync(temporary, { force: true });
  const reader = connectToRead(file);
  try {
    copyInto(reader, temporary);
  } finally {
    reader.close();
  }
  for (let number = 1; ; number++) {
    const name = `${file}.v${version}${number === 1 ? "" : `.${number}`}.bak`;
    if (!existsSync(name)) {
      renameSync(temporary, name);
      return name;
    }
    if (sameBytes(temporary, name)) {
      rmSync(temporary);
      return name;
    }
  }
}

/** Writes all that is committed into a new file for its owner alone, and puts that on the disk. */
export function copyInto(db: DatabaseSyncInstance, to: string): void {
  closeSync(openSync(to, "wx", 0o600));
  try {
    db.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`);
    flush(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** Puts a file, or the names in a folder, on the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function sameBytes(a: string, b: string): boolean {
  if (statSync(a).size !== statSync(b).size) return false;
  const [fileA, fileB] = [openSync(a, "r"), openSync(b, "r")];
  const [bufferA, bufferB] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
  try {
    for (;;) {
      const read = readSync(fileA, bufferA);
      if (read !== readSync(fileB, bufferB)) return false;
      if (read === 0) return true;
      if (bufferA.compare(bufferB, 0, read, 0, read) !== 0) return false;
    }
  } finally {
    closeSync(fileA);
    closeSync(fileB);
  }
}
