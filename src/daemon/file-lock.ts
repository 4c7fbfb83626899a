import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Millis } from "../core/duration.ts";

const LOOK_AGAIN: Millis = 50;

/**
 * Does something that only one process may do at a time. The lock is an exclusive transaction on an empty file:
 * the kernel frees it the instant its holder is killed, and it works wherever SQLite does.
 */
export function locked<T>(file: string, act: () => T): T {
  const lock = open(file);
  try {
    lock.exec("PRAGMA busy_timeout = 10000");
    lock.exec("BEGIN EXCLUSIVE");
    return act();
  } finally {
    lock.close();
  }
}

/** The same for something that takes its time; undefined if others held the lock for all of the patience. */
export async function lockedWhile<T>(
  file: string,
  patience: Millis,
  act: () => Promise<T>,
): Promise<T | undefined> {
  const lock = open(file);
  try {
    lock.exec("PRAGMA busy_timeout = 0");
    for (let left = patience; !begins(lock); left -= LOOK_AGAIN) {
      if (left <= 0) return undefined;
      await wait(LOOK_AGAIN);
    }
    return await act();
  } finally {
    lock.close();
  }
}

function open(file: string): InstanceType<typeof DatabaseSync> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  return new DatabaseSync(file);
}

function begins(lock: InstanceType<typeof DatabaseSync>): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes("locked")) return false;
    throw error;
  }
}
