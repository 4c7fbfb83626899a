import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { notOnRoll } from "../../ports/committable.ts";
import { connectToRead, connectToWrite, emptyLog, inTransaction, makeDurable } from "./connection.ts";
import { copyInto } from "./copy.ts";
import { checkCurrent, checkOwner, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { problem } from "./problems.ts";
import type { Batch, Call, Calls, KeptRow, MarkRow, PageOf, SqliteThreadDeps, Value } from "./protocol.ts";
import { prunerOf } from "./prune.ts";
import { INDEX, keptPage, READS, WRITES } from "./statements.ts";

/** The database itself: synchronous, for the thread that it runs in. Every error is a StoreError. */
export type Database = { readonly [C in Call]: (ask: Calls[C]["ask"]) => Calls[C]["answer"] };

export function openDatabase(
  opening: SqliteThreadDeps,
  migrations: readonly string[] = MIGRATIONS,
): Database {
  const { file, readOnly, patience, maxPages } = opening;
  const known = migrations.length;
  let db: DatabaseSyncInstance | undefined;
  try {
    db = readOnly === true ? connectToRead(file, patience) : connectToWrite(file, patience);
    checkOwner(db, file, known);
    if (readOnly === true) {
      checkCurrent(db, file, known);
    } else {
      makeDurable(db);
      migrate(db, file, migrations);
      if (maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${maxPages}`);
    }
    return guard(file, operations(db, readOnly !== true));
  } catch (error) {
    db?.close();
    throw problem(file, error);
  }
}

function operations(db: DatabaseSyncInstance, writable: boolean): Database {
  const writes = WRITES.map(({ part, width, sql }) => ({ part, width, statement: db.prepare(sql) }));
  const pages = {
    beats: db.prepare(READS.beats),
    flips: db.prepare(READS.flips),
    cycles: db.prepare(READS.cycles),
  };
  const flipsSince = db.prepare(READS.flipsSince);
  const page =
    (kind: keyof typeof pages) =>
    ({ agent, before, limit, skip = 0 }: PageOf) =>
      pages[kind].all(agent, before, limit, skip);
  const one = db.prepare(READS.one);
  /** By their text: the product asks in a handful of ways. */
  const lists = new Map<string, ReturnType<typeof db.prepare>>();
  const listOf = (sql: string) => {
    const list = lists.get(sql) ?? db.prepare(sql);
    lists.set(sql, list);
    return list;
  };
  const whole = {
    agents: db.prepare(READS.agents),
    roll: db.prepare(READS.roll),
    blind: db.prepare(READS.blind),
    cycles: db.prepare(READS.newestCycles),
    mark: db.prepare(READS.mark),
    kept: db.prepare(READS.open),
    unsettled: db.prepare(READS.unsettled),
  };

  const onRoll = db.prepare(READS.onRoll);
  const mustBeOnRoll = (what: "entry" | "flip", rows: readonly Value[], width: number) => {
    for (let at = 0; at < rows.length; at += width)
      if (onRoll.get(rows[at]) === undefined) throw notOnRoll(what, String(rows[at]));
  };

  return {
    commit(batch: Batch) {
      inTransaction(db, () => {
        for (const { part, width, statement } of writes) {
          const rows = batch[part];
          if (rows === undefined) continue;
          if (part === "roll") mustBeOnRoll("entry", rows, width);
          else if (part === "flips") mustBeOnRoll("flip", rows, width);
          for (let at = 0; at < rows.length; at += width) statement.run(...rows.slice(at, at + width));
        }
        if (batch.settled !== undefined) db.exec(INDEX);
      });
      return null;
    },
    load() {
      // One transaction: all parts as of one moment, though another process may be writing.
      db.exec("BEGIN");
      try {
        const mark: MarkRow | undefined = whole.mark.get();
        return {
          agents: whole.agents.all(),
          roll: whole.roll.all(),
          blind: whole.blind.all(),
          cycles: whole.cycles.all(),
          kept: whole.kept.all(),
          mark: mark ?? null,
          unsettled: whole.unsettled.all(),
        };
      } finally {
        if (db.isTransaction) db.exec("ROLLBACK");
      }
    },
    beats: page("beats"),
    flips: page("flips"),
    flipsSince: ({ since, agents, most }) =>
      agents.flatMap((agent) => flipsSince.all(agent, since, most).reverse()),
    cycles: page("cycles"),
    kept(page) {
      const { sql, values } = keptPage(page);
      return listOf(sql).all(...values);
    },
    one({ kind, id }) {
      const row: KeptRow | undefined = one.get(kind, id);
      return row ?? null;
    },
    prune: prunerOf(db),
    copy(to) {
      copyInto(db, to);
      return null;
    },
    close() {
      try {
        if (writable) emptyLog(db);
      } finally {
        db.close();
      }
      return null;
    },
  };
}

function guard(file: string, database: Database): Database {
  const guarded =
    <A, R>(call: (ask: A) => R) =>
    (ask: A): R => {
      try {
        return call(ask);
      } catch (error) {
        throw problem(file, error);
      }
    };
  return {
    commit: guarded(database.commit),
    load: guarded(database.load),
    beats: guarded(database.beats),
    flips: guarded(database.flips),
    flipsSince: guarded(database.flipsSince),
    cycles: guarded(database.cycles),
    kept: guarded(database.kept),
    one: guarded(database.one),
    prune: guarded(database.prune),
    copy: guarded(database.copy),
    close: guarded(database.close),
  };
}
