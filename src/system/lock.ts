import { accessSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Millis } from "../core/duration.ts";
import { makeFolder, OddFileError, sayKind } from "./files.ts";

const LOOK_AGAIN: Millis = 50;

/** A lock that lies about unreferenced would be closed, and so released, by the garbage collector. */
const HELD = new Set<FileLock>();

/**
 * A lock that one process at a time holds until it releases it or ends. It is an exclusive transaction on an empty file:
 * the kernel frees it the instant its holder is killed, it works wherever SQLite does, and it crosses PID namespaces.
 */
export class FileLock {
  readonly #database: InstanceType<typeof DatabaseSync>;

  private constructor(database: InstanceType<typeof DatabaseSync>) {
    this.#database = database;
    HELD.add(this);
  }

  /** Takes the lock, waiting for at most `patience` in one go; undefined if somebody else holds it. */
  static take(file: string, patience: Millis = 0): FileLock | undefined {
    const database = open(file);
    try {
      database.exec(`PRAGMA busy_timeout = ${patience}`);
      database.exec("BEGIN EXCLUSIVE");
      return new FileLock(database);
    } catch (error) {
      database.close();
      if (error instanceof Error && error.message.includes("locked")) return undefined;
      throw error;
    }
  }

  /** Whether some process holds the lock now. It only tries to read, so nothing on the disk changes. */
  static isTaken(file: string): boolean {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      database.prepare("SELECT 1 FROM sqlite_master").get();
      return false;
    } catch (error) {
      // After a holder that was killed there is something to roll back, which a reader cannot: that is free too.
      return error instanceof Error && error.message.includes("locked");
    } finally {
      database.close();
    }
  }

  get isHeld(): boolean {
    return HELD.has(this);
  }

  release(): void {
    if (HELD.delete(this)) this.#database.close();
  }
}

/** Does something that only one process may do at a time. */
export function locked<T>(file: string, act: () => T): T {
  const lock = FileLock.take(file, 10_000);
  if (lock === undefined) throw new Error(`another process has held the lock ${file} for 10 s`);
  try {
    return act();
  } finally {
    lock.release();
  }
}

/** The same for something that takes its time; undefined if others held the lock for all of the patience. */
export async function lockedWhile<T>(
  file: string,
  patience: Millis,
  act: () => Promise<T>,
): Promise<T | undefined> {
  for (let left = patience; ; left -= LOOK_AGAIN) {
    const lock = FileLock.take(file);
    if (lock !== undefined) {
      try {
        return await act();
      } finally {
        lock.release();
      }
    }
    if (left <= 0) return undefined;
    await wait(LOOK_AGAIN);
  }
}

/**
 * The file is opened by SQLite alone: the kernel drops all of a process's locks on a file as soon as that process closes
 * any descriptor of it.
 */
function open(file: string): InstanceType<typeof DatabaseSync> {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) create(file);
  else {
    // Two names for one lock, or something that nobody can lock: neither keeps a second process out.
    const kind = sayKind(stat);
    if (kind !== undefined) throw new OddFileError(file, `${kind}; move it away: mv ${file} ${file}.odd`);
    accessSync(file, constants.R_OK | constants.W_OK);
  }
  return new DatabaseSync(file);
}

function create(file: string): void {
  makeFolder(dirname(file));
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
