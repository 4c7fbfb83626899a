import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { StoreError } from "../../ports/store.ts";
import { sayKind } from "../../system/files.ts";

const PATIENCE = 5000;
/** What the log may keep on disk after it was once larger. */
const LOG_BYTES = 64 * 1024 * 1024;
const CACHE_KIB = 8 * 1024;
/** Pages in the log before they go into the file: the roll's pages change often, and then go there once. */
const LOG_PAGES = 4000;

/** Opens the file to write, makes it if need be, and keeps it and its companions from the eyes of others. */
export function connectToWrite(file: string, patience = PATIENCE): DatabaseSyncInstance {
  refuseOddFiles(file);
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  // SQLite gives its companions the mode of the file; what was there before is put right here.
  for (const path of [file, `${file}-wal`, `${file}-shm`]) keepPrivate(path);
  return new DatabaseSync(file, { timeout: patience, returnArrays: true });
}

/**
 * Opens the file to read without changing anything on disk. While a watcher runs (or after it was killed) its
 * log exists and is read too; without one the file is all there is, and not even a lock is needed.
 */
export function connectToRead(file: string, patience = PATIENCE): DatabaseSyncInstance {
  if (!existsSync(file)) throw new StoreError("failed", `there is no database at ${file}`);
  refuseOddFiles(file);
  const location = existsSync(`${file}-wal`) ? file : `${pathToFileURL(file).href}?immutable=1`;
  return new DatabaseSync(location, { readOnly: true, timeout: patience, returnArrays: true });
}

/** A commit is on the disk when it returns, and readers never wait for the writer. */
export function makeDurable(db: DatabaseSyncInstance): void {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_BYTES};
    PRAGMA wal_autocheckpoint = ${LOG_PAGES}; PRAGMA cache_size = -${CACHE_KIB}`);
}

export function readNumber(db: DatabaseSyncInstance, sql: string): number {
  const row: unknown = db.prepare(sql).get();
  return Array.isArray(row) ? Number(row[0]) : 0;
}

/**
 * Brings the log into the file. The binding cannot let go of statements, so after closing the empty log lingers
 * until they are collected, at the latest with the thread; it must not be needed then.
 */
export function emptyLog(db: DatabaseSyncInstance): void {
  // A reader may be in the way; closing hardly waits for it, and the next one to open finds the log.
  db.exec("PRAGMA busy_timeout = 250; PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Runs the steps in one transaction: all of them are kept, or none. */
export function inTransaction<T>(db: DatabaseSyncInstance, steps: () => T): T {
  // Immediate: a transaction that begins by reading could find at its first write that it came too late.
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = steps();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    // After some errors, a full disk among them, SQLite has rolled back by itself.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** To open a pipe that stands in the place of a file would be to wait for its writer. */
function refuseOddFiles(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const stat = statSync(path, { throwIfNoEntry: false });
    const kind = stat === undefined ? undefined : sayKind(stat);
    if (kind !== undefined)
      throw new StoreError("failed", `${path} ${kind}; move it away: mv ${path} ${path}.odd`);
  }
}

function keepPrivate(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || (found.mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch {
    // Not our file: whether it can be used at all is for SQLite to find out.
  }
}
