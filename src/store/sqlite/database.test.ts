import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./database.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-database-"));
  file = join(folder, "rollcall.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BEAT = ["b1", "allegro", 1, "{}"];
const PAGE = { agent: "allegro", before: Number.POSITIVE_INFINITY, limit: 10 };

/** Expects an error of this code that names the file. */
function expectProblem(code: string, work: () => unknown, text?: RegExp): void {
  let caught: unknown;
  try {
    work();
  } catch (error) {
    caught = error;
  }
  expect(caught).toMatchObject({ name: "StoreError", code });
  expect(caught).toHaveProperty("message", expect.stringContaining(file));
  if (text !== undefined) expect(caught).toHaveProperty("message", expect.stringMatching(text));
}

/** Does the work as a user who is not root, since root may write anywhere. */
function asNobody(work: () => void): void {
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(65534);
  try {
    work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

describe("a database file that cannot be used", () => {
  it("is corrupt if it is no database, and is left as it is", () => {
    const text = "this is not a database, it only has its name. ".repeat(100);
    writeFileSync(file, text);
    expectProblem("corrupt", () => openDatabase({ file }), /Move it aside/);
    expectProblem("corrupt", () => openDatabase({ file, readOnly: true }));
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("is corrupt if its pages are damaged", () => {
    const database = openDatabase({ file });
    const rows = Array.from({ length: 2000 }, (_, n) => [`b${n}`, "allegro", n, "x".repeat(100)]).flat();
    database.commit({ beats: rows });
    database.close(null);
    const bytes = readFileSync(file);
    // The first page holds the schema; what comes after it is the data.
    file = join(folder, "damaged.db");
    writeFileSync(file, bytes.fill(0xaa, 4096));
    expectProblem("corrupt", () => {
      const damaged = openDatabase({ file });
      try {
        damaged.beats(PAGE);
      } finally {
        damaged.close(null);
      }
    });
  });

  it("is read-only if this user may not write it, or its folder", () => {
    openDatabase({ file }).close(null);
    chmodSync(file, 0o444);
    chmodSync(folder, 0o555);
    asNobody(() => {
      expectProblem("read-only", () => openDatabase({ file }).commit({ beats: BEAT }), /right to write/);
      file = join(folder, "new.db");
      expectProblem("read-only", () => openDatabase({ file }));
    });
    chmodSync(folder, 0o700);
  });

  it("is a failure if its folder is missing or it is itself a folder", () => {
    mkdirSync(file);
    expectProblem("failed", () => openDatabase({ file }));
    file = join(folder, "missing", "rollcall.db");
    expectProblem("failed", () => openDatabase({ file }));
  });

  it("is a failure for readers if it does not exist, and is not made", () => {
    expectProblem("failed", () => openDatabase({ file, readOnly: true }), /there is no database at/);
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("is a failure for readers if it is still empty", () => {
    writeFileSync(file, "");
    expectProblem("failed", () => openDatabase({ file, readOnly: true }), /holds nothing yet/);
  });

  it("is not touched if it belongs to another program", () => {
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE theirs (x); PRAGMA user_version = 9");
    other.close();
    const bytes = readFileSync(file);
    expectProblem("failed", () => openDatabase({ file }), /another program/);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it("is busy while another program holds it, and can be used after that", () => {
    const database = openDatabase({ file, patience: 10 });
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    expectProblem("busy", () => database.commit({ beats: BEAT }));
    other.exec("ROLLBACK");
    other.close();
    database.commit({ beats: BEAT });
    expect(database.beats(PAGE)).toHaveLength(1);
    database.close(null);
  });
});

it("closes its file to others that was open to them", () => {
  openDatabase({ file }).close(null);
  chmodSync(file, 0o644);
  openDatabase({ file }).close(null);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
