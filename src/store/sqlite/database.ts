import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { notOnRoll } from "../../ports/committable.ts";
import { listPage, oneOf } from "../kit/pages.ts";
import { timesOfPoints } from "../kit/points.ts";
import type { BodyRow, MarkRow, PageOf, RecordRow, RowBatch, Value } from "../kit/protocol.ts";
import { connectToRead, connectToWrite, emptyLog, inTransaction, makeDurable } from "./connection.ts";
import { copyInto } from "./copy.ts";
import { checkCurrent, checkOwner, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { outgoingTable } from "./outgoing.ts";
import { problem } from "./problems.ts";
import type { Call, Slice, Sliced, SqliteDeps, ThreadCalls } from "./protocol.ts";
import { prunerOf } from "./prune.ts";
import { FORGET_COMMITS, INDEX, NUMBER, READS, WRITES } from "./statements.ts";

/** The database itself: synchronous, for the thread that it runs in. Every error is a StoreError. */
export type Database = { readonly [C in Call]: (ask: ThreadCalls[C]["ask"]) => ThreadCalls[C]["answer"] };

export function openDatabase(opening: SqliteDeps, migrations: readonly string[] = MIGRATIONS): Database {
  const { file, readOnly, patience, maxPages, takeSlice } = opening;
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
    return guard(file, operations(db, readOnly !== true, takeSlice));
  } catch (error) {
    db?.close();
    throw problem(file, error);
  }
}

/** The ids of a commit of which nobody said what it changes. */
const NOTHING: readonly Value[] = [1, "{}"];

/** Where each part of a large fleet is read. */
const SLICED = { agents: "agents", roll: "roll", cycles: "newestCycles", unflushed: "unflushed" } as const;

/** Rows of a slice. All rows at once would cost the thread memory that the C library never gives back. */
const SLICE = 1000;

function operations(
  db: DatabaseSyncInstance,
  writable: boolean,
  takeSlice: ((slice: Slice) => void) | undefined,
): Database {
  /** By their text: the product asks in a handful of ways, and a command in one or two of them. */
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  const statementOf = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const all = (sql: keyof typeof READS, ...values: readonly Value[]) =>
    statementOf(READS[sql]).all(...values);
  const page =
    (kind: "beats" | "flips" | "cycles") =>
    ({ agent, before, limit, skip = 0 }: PageOf) =>
      all(kind, agent, before, limit, skip);
  const knownCommits = () => statementOf(READS.commits).get() as readonly [first: number, last: number];
  const lastMark = (): MarkRow | null => statementOf(READS.mark).get() ?? null;
  /** All parts as of one moment, though another process may be writing. */
  const asOfOneMoment = <T>(read: () => T): T => {
    db.exec("BEGIN");
    try {
      return read();
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  };

  /** All rows of a part, or none if they were taken in slices. */
  const fleet = (part: Sliced) => {
    if (takeSlice === undefined) return all(SLICED[part]);
    let rows: unknown[] = [];
    for (const row of statementOf(READS[SLICED[part]]).iterate()) {
      if (rows.push(row) < SLICE) continue;
      takeSlice({ part, rows });
      rows = [];
    }
    if (rows.length > 0) takeSlice({ part, rows });
    return [];
  };

  let outgoing = (): ReturnType<typeof outgoingTable> => {
    const table = outgoingTable(db);
    outgoing = () => table;
    return table;
  };
  let prune: ReturnType<typeof prunerOf> = (ask) => {
    prune = prunerOf(db);
    return prune(ask);
  };
  const mustBeOnRoll = (what: "entry" | "flip", rows: readonly Value[], width: number) => {
    const onRoll = statementOf(READS.onRoll);
    for (let at = 0; at < rows.length; at += width)
      if (onRoll.get(rows[at]) === undefined) throw notOnRoll(what, String(rows[at]));
  };

  return {
    commit(batch: RowBatch) {
      return inTransaction(db, () => {
        for (const { part, width, sql } of WRITES) {
          const rows = batch[part];
          if (rows === undefined) continue;
          const statement = statementOf(sql);
          if (part === "roll") mustBeOnRoll("entry", rows, width);
          else if (part === "flips") mustBeOnRoll("flip", rows, width);
          for (let at = 0; at < rows.length; at += width) statement.run(...rows.slice(at, at + width));
        }
        if (batch.outgoing !== undefined) outgoing().add(batch.outgoing);
        if (batch.flushed !== undefined) db.exec(`${INDEX}; ${FORGET_COMMITS}`);
        return Number(statementOf(NUMBER).run(...(batch.commit ?? NOTHING)).lastInsertRowid);
      });
    },
    load: () =>
      asOfOneMoment(() => ({
        agents: fleet("agents"),
        roll: fleet("roll"),
        blind: all("blind"),
        cycles: fleet("cycles"),
        number: knownCommits()[1],
        incidents: all("incidents"),
        deliveries: all("deliveries"),
        recoveries: all("recoveries"),
        records: all("records"),
        mark: lastMark(),
        unflushed: fleet("unflushed"),
      })),
    loadAgent: (id) =>
      asOfOneMoment(() => ({
        agents: all("agent", id),
        roll: all("entry", id),
        blind: all("blind"),
        cycles: all("newestCycle", id),
        records: all("openRuns", id),
        unflushed: all("unflushedOf", id),
      })),
    lastMark,
    beats: page("beats"),
    flips: page("flips"),
    flipsSince: ({ since, agents, most }) =>
      agents.flatMap((agent) => all("flipsSince", agent, since, most).reverse()),
    stateTimes: ({ agents, cuts }) =>
      agents.map((agent) => timesOfPoints(all("flipPoints", agent, cuts.from, cuts.until), cuts)),
    beatCounts: ({ agent, cuts: { from, until, width } }) => all("beatCounts", agent, from, until, width),
    cycles: page("cycles"),
    list(page) {
      const { sql, values } = listPage(page);
      return statementOf(sql).all(...values);
    },
    one({ table, key }) {
      const row: BodyRow | RecordRow | undefined = statementOf(oneOf(table)).get(...key);
      return row ?? null;
    },
    underWay: () => Number((statementOf(READS.underWay).get() as readonly [number])[0]),
    changesSince({ number, limit }) {
      const [first, last] = knownCommits();
      return number < first - 1 || number > last ? null : all("changesSince", number, limit);
    },
    spool: () => outgoing().spool(),
    renewSpool(id) {
      inTransaction(db, () => outgoing().renew(id));
      return null;
    },
    outgoing: (ask) => outgoing().after(ask),
    forgetOutgoing(ask) {
      inTransaction(db, () => outgoing().forget(ask));
      return null;
    },
    prune: (ask) => prune(ask),
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
    loadAgent: guarded(database.loadAgent),
    lastMark: guarded(database.lastMark),
    beats: guarded(database.beats),
    flips: guarded(database.flips),
    flipsSince: guarded(database.flipsSince),
    stateTimes: guarded(database.stateTimes),
    beatCounts: guarded(database.beatCounts),
    cycles: guarded(database.cycles),
    list: guarded(database.list),
    one: guarded(database.one),
    underWay: guarded(database.underWay),
    changesSince: guarded(database.changesSince),
    spool: guarded(database.spool),
    renewSpool: guarded(database.renewSpool),
    outgoing: guarded(database.outgoing),
    forgetOutgoing: guarded(database.forgetOutgoing),
    prune: guarded(database.prune),
    copy: guarded(database.copy),
    close: guarded(database.close),
  };
}
