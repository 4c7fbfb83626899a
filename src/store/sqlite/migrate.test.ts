import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./database.ts";
import { openSqlite } from "./index.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.ts";
import { INDEX } from "./statements.ts";

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

/** A database as an earlier version left it. */
function makeOld(version: number, rows: string): void {
  const db = new DatabaseSync(file);
  for (const script of MIGRATIONS.slice(0, version)) db.exec(script);
  db.exec(`${rows}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
  db.close();
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
    makeOld(
      2,
      `INSERT INTO cycles VALUES ('a', 7, 7, 7, NULL, NULL, NULL, NULL), ('a', 8, 8, 8, NULL, 8, 'ok', NULL),
         ('a', 9, 9, 9, NULL, NULL, NULL, NULL), ('b', 1, 1, 1, NULL, NULL, NULL, NULL),
         ('b', 2, 2, 2, NULL, NULL, NULL, NULL);
       INSERT INTO kept VALUES ('ping-run', 'b/1', 1, 'b', 1, '{}')`,
    );
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
    makeOld(
      3,
      `INSERT INTO beats (id, agent, received_at, body) VALUES ('b1', 'allegro', 1, '"old"'), ('b2', 'allegro', 2, '"newer"');
       INSERT INTO reached VALUES ('settled', 2); ${INDEX}`,
    );
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

  it("moves incidents, deliveries, recoveries, runs and issues into their own tables, and leaves the rest", async () => {
    const kept = (kind: string, id: string, at: number, about: string, open: number, body: object) =>
      `INSERT INTO kept VALUES ('${kind}', '${id}', ${at}, '${about}', ${open}, '${JSON.stringify(body)}');`;
    const over = { resolved: { at: 7, how: "recovered", why: "back" } };
    const rows = [
      kept("incident", "g-1", 1, "g", 1, { id: "g-1", kind: "group", openedAt: 1 }),
      kept("incident", "a-2", 2, "a", 1, { id: "a-2", kind: "agent", openedAt: 2, spokenForBy: "g-1" }),
      kept("incident", "a-3", 3, "a", 0, { id: "a-3", kind: "agent", openedAt: 3, ...over }),
      kept("delivery", "d1", 1, "mail", 1, { key: "d1", state: "pending", incident: "g-1", createdAt: 1 }),
      kept("delivery", "d2", 2, "mail", 0, { key: "d2", state: "superseded", createdAt: 2 }),
      kept("recovery", "r1", 1, "a", 1, { id: "r1", plannedAt: 1 }),
      kept("recovery", "r2", 2, "a", 0, { id: "r2", plannedAt: 2 }),
      kept("run", "scan it scan it@5", 5, "scan it", 0, { action: "scan it", id: "scan it@5", dueAt: 5 }),
      kept("issue", "a:2026-04", 1, "a", 0, { key: "a:2026-04", month: "2026-04", closed: true }),
      kept("issue", "a-3", 2, "a", 1, { key: "a-3", closed: false }),
      kept("token", "t", 1, "", 1, { id: "t" }),
      kept("audit", "x", 1, "ann", 0, { who: "ann" }),
    ];
    makeOld(4, rows.join("\n"));
    const store = await openSqlite(file);
    const ids = (found: readonly { id?: string; key?: string }[]) => found.map(({ id, key }) => id ?? key);
    const page = { limit: 9 };
    const { incidents, deliveries, recoveries, issues, records, runs } = store;
    expect(ids(await incidents.page(page))).toEqual(["a-3", "a-2", "g-1"]);
    expect(ids(await incidents.page({ ...page, state: "open", grouped: true }))).toEqual(["g-1"]);
    expect(ids(await incidents.page({ ...page, subject: "a", state: "over" }))).toEqual(["a-3"]);
    expect(ids(await deliveries.page({ ...page, incident: "g-1" }))).toEqual(["d1"]);
    expect(ids(await deliveries.page({ ...page, to: "mail" }))).toEqual(["d2", "d1"]);
    expect(ids(await recoveries.page({ ...page, agent: "a" }))).toEqual(["r2", "r1"]);
    await store.commit({ runs: [{ action: "scan it", id: "scan it@5", dueAt: 5, outcome: "done" }] });
    expect(await runs.page({ ...page, action: "scan it" })).toMatchObject([{ outcome: "done" }]);
    expect(ids(await issues.page({ ...page, state: "open" }))).toEqual(["a-3"]);
    expect(ids(await issues.page({ ...page, month: "2026-04" }))).toEqual(["a:2026-04"]);
    expect(await records.one("audit", "x")).toMatchObject({ about: "ann", current: false });
    const loaded = await store.load();
    expect(ids(loaded.incidents)).toEqual(["g-1", "a-2"]);
    expect(ids(loaded.deliveries)).toEqual(["d1"]);
    expect(ids(loaded.recoveries)).toEqual(["r1"]);
    expect(ids(loaded.records)).toEqual(["t"]);
    await store.close();
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
