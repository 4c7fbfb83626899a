import { rmSync } from "node:fs";
import { StoreError } from "../../ports/store.ts";
import { connectToRead } from "./connection.ts";
import { copyInto } from "./copy.ts";
import { checkOwner } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { problem } from "./problems.ts";

/** How many of SQLite's complaints are worth reading. */
const COMPLAINTS = 3;

/** Reads a whole database and throws a StoreError unless it is ours, not of a newer version, and undamaged. */
export function checkWhole(file: string): void {
  try {
    const db = connectToRead(file);
    try {
      checkOwner(db, file, MIGRATIONS.length);
      const complaints: unknown[] = db.prepare(`PRAGMA integrity_check(${COMPLAINTS})`).all();
      const said = complaints.map(String).join("; ");
      if (said !== "ok") throw new StoreError("corrupt", `the database ${file} is damaged: ${said}`);
      // An empty file passes every check, and holds nothing.
      const tables: unknown[] = db.prepare("SELECT name FROM sqlite_schema LIMIT 1").all();
      if (tables.length === 0) throw new StoreError("failed", `the database ${file} holds nothing`);
    } finally {
      db.close();
    }
  } catch (error) {
    throw problem(file, error);
  }
}

/** Copies a database, which others may be writing, into a new file, and reads that whole. */
export function copyWhole(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    const db = connectToRead(from);
    try {
      copyInto(db, to);
    } finally {
      db.close();
    }
  } catch (error) {
    throw problem(from, error);
  }
  try {
    checkWhole(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}
