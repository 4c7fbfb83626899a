import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-migrate-"));
  file = join(folder, "it's rollcall.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SECOND = "CREATE TABLE second (x); INSERT INTO second VALUES (2);";
const THIRD = "CREATE TABLE third (x);";
const BROKEN = "CREATE TABLE half (x); INSERT INTO no_such_table VALUES (1);";
const V1 = MIGRATIONS;
const V2 = [...V1, SECOND];
const V3 = [...V2, THIRD];
const PAGE = { agent: "allegro", before: Number.POSITIVE_INFINITY, limit: 10 };

function withBeats(migrations: readonly string[], ...ids: string[]): void {
  const database = openDatabase({ file }, migrations);
  database.commit({ beats: ids.flatMap((id) => [id, "allegro", 1, "{}"]) });
  database.close(null);
}

function inspect(path: string): { version: number; tables: string[]; beats: number } {
  const db = new DatabaseSync(path, { readOnly: true, returnArrays: true });
  try {
    const all = (sql: string): unknown[][] => db.prepare(sql).all();
    return {
      version: Number(all("PRAGMA user_version")[0]?.[0]),
      tables: all("SELECT name FROM sqlite_schema WHERE name IN ('second', 'third', 'half')")
        .flat()
        .map(String),
      beats: Number(all("SELECT count(*) FROM beats")[0]?.[0]),
    };
  } finally {
    db.close();
  }
}

/** Puts another file in the database's place, as someone would who brings a copy back. */
function restore(bytes: Buffer): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true });
  writeFileSync(file, bytes);
}

const files = (): string[] => readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name));

describe("migrating", () => {
  it("ends cycles that stayed open, except the newest and the runs that pings tell of", () => {
    const old = openDatabase({ file }, MIGRATIONS.slice(0, 2));
    const cycle = (agent: string, number: number, outcome: string | null = null) => [
      ...[agent, number, number, number, null, outcome === null ? null : number, outcome, null],
    ];
    old.commit({
      cycles: [
        ...cycle("a", 7),
        ...cycle("a", 8, "ok"),
        ...cycle("a", 9),
        ...cycle("b", 1),
        ...cycle("b", 2),
      ],
      kept: ["ping-run", "b/1", 1, "b", 1, "{}"],
    });
    old.close(null);
    const database = openDatabase({ file });
    const outcomes = (agent: string) =>
      database
        .cycles({ ...PAGE, agent })
        .map(([, number, , , , endedAt, outcome]) => [number, endedAt, outcome]);
    expect(outcomes("a")).toEqual([
      [9, null, null],
      [8, 8, "ok"],
      [7, 7, "superseded"],
    ]);
    expect(outcomes("b")).toEqual([
      [2, null, null],
      [1, null, null],
    ]);
    database.close(null);
  });

  it("lets agents use the same beat ids, keeps what was there, and still forgets by the index", () => {
    const old = openDatabase({ file }, MIGRATIONS.slice(0, 3));
    old.commit({ beats: ["b1", "allegro", 1, '"old"', "b2", "allegro", 2, '"newer"'], settled: ["settled"] });
    old.close(null);
    const database = openDatabase({ file });
    database.commit({
      beats: ["b1", "presto", 3, '"other"', "b2", "allegro", 4, '"again"', "b3", "allegro", 5, '"new"'],
    });
    expect(database.beats(PAGE)).toEqual([['"new"'], ['"newer"'], ['"old"']]);
    expect(database.beats({ ...PAGE, agent: "presto" })).toEqual([['"other"']]);
    database.prune({ before: { beats: 2, flips: 0 }, cursor: { table: 0, agent: "" } });
    expect(database.beats(PAGE)).toEqual([['"new"'], ['"newer"']]);
    database.close(null);
    const raw = new DatabaseSync(file, { readOnly: true, returnArrays: true });
    expect(raw.prepare("SELECT agent, seq FROM beats_by_agent ORDER BY seq").all()).toEqual([
      ["allegro", 2],
      ["presto", 3],
      ["allegro", 4],
    ]);
    raw.close();
  });

  it("makes a new database without a copy of nothing", () => {
    openDatabase({ file }).close(null);
    expect(inspect(file)).toStrictEqual({ version: V1.length, tables: [], beats: 0 });
    expect(files()).toHaveLength(1);
  });

  it("goes through all versions, keeps the data, and copies what was there once", () => {
    withBeats(V1, "b1");
    withBeats(V3, "b2");
    expect(inspect(file)).toStrictEqual({ version: V3.length, tables: ["second", "third"], beats: 2 });
    const copy = `${file}.v${V1.length}.bak`;
    expect(inspect(copy)).toStrictEqual({ version: V1.length, tables: [], beats: 1 });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(files()).toHaveLength(2);
  });

  it("leaves a step that fails undone, keeps one copy however often it is tried, and goes on when it can", () => {
    withBeats(V1, "b1");
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(() => openDatabase({ file }, [...V2, BROKEN])).toThrow(/no_such_table/);
      expect(inspect(file)).toStrictEqual({ version: V2.length, tables: ["second"], beats: 1 });
    }
    expect(files()).toHaveLength(3);
    withBeats(V3);
    expect(inspect(file)).toStrictEqual({ version: V3.length, tables: ["second", "third"], beats: 1 });
    expect(files()).toHaveLength(3);
  });

  it("goes on after a crash while it copied, and after one between the copy and the step", () => {
    withBeats(V1, "b1");
    const before = readFileSync(file);
    writeFileSync(`${file}.v${V1.length}.bak.tmp`, "half a copy");
    withBeats(V2);
    // As it was between the two: the copy complete, the database as before.
    restore(before);
    withBeats(V2);
    expect(inspect(file).version).toBe(V2.length);
    expect(files()).toHaveLength(2);
  });

  it("does not overwrite an earlier copy that says something else", () => {
    withBeats(V1, "b1");
    const first = readFileSync(file);
    withBeats(V2);
    // Someone went back to the old version, and went on with it for a while.
    restore(first);
    withBeats(V1, "b2", "b3");
    withBeats(V2);
    expect(inspect(`${file}.v${V1.length}.bak`).beats).toBe(1);
    expect(inspect(`${file}.v${V1.length}.2.bak`).beats).toBe(3);
  });

  it("refuses a newer database, names both versions, and changes nothing", () => {
    withBeats(V3, "b1");
    const bytes = readFileSync(file);
    for (const readOnly of [false, true]) {
      expect(() => openDatabase({ file, readOnly }, V1)).toThrow(
        expect.objectContaining({
          code: "newer-schema",
          message: expect.stringMatching(
            new RegExp(`rollcall.db has schema version ${V3.length}.* up to ${V1.length}.*Update Rollcall`),
          ),
        }),
      );
    }
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(files()).toHaveLength(1);
  });

  it("does not migrate for a reader, and tells how to", () => {
    withBeats(V1, "b1");
    expect(() => openDatabase({ file, readOnly: true }, V2)).toThrow(
      new RegExp(`schema version ${V1.length}.*rollcall up`),
    );
    expect(inspect(file).version).toBe(V1.length);
    const reader = openDatabase({ file, readOnly: true }, V1);
    expect(reader.beats(PAGE)).toHaveLength(1);
    reader.close(null);
  });
});
