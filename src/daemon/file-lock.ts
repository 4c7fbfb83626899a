import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";

/**
 * Does something that only one process may do at a time. The lock is an exclusive transaction on an empty file:
 * the kernel frees it the instant its holder is killed, and it works wherever SQLite does.
 */
export function locked<T>(file: string, act: () => T): T {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  const lock = new DatabaseSync(file);
  try {
    lock.exec("PRAGMA busy_timeout = 10000");
    lock.exec("BEGIN EXCLUSIVE");
    return act();
  } finally {
    lock.close();
  }
}
