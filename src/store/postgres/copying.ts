import { HOUR, MINUTE, SECOND, sayDuration } from "../../core/duration.ts";
import { StoreError } from "../../ports/store.ts";
import {
  anotherCopies,
  CopyError,
  type CopyMark,
  type CopyProgress,
  type CopySource,
  type CopyTarget,
  otherData,
  otherVersion,
  type RowPlace,
  type RowSlice,
  SLICE,
  START,
  type StoreState,
} from "../kit/copying.ts";
import type { MarkRow, Value } from "../kit/protocol.ts";
import { COPIED, type ColumnType, type TableForm } from "../kit/tables.ts";
import { sayAddress } from "./address.ts";
import { arrayOf } from "./array.ts";
import { ensureIndexTables, INDEX_ALL } from "./beat-index.ts";
import { DAY_OF } from "./commit.ts";
import { PgConnection, type PgRow } from "./connection.ts";
import { BEATS, FLIPS, KnownDays } from "./days.ts";
import { PART } from "./lease.ts";
import { LOCK_SCHEMA, migrate, UNFINISHED, versionOf } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { problem } from "./problems.ts";
import { numberIn } from "./reads.ts";

const TABLES = COPIED.map(({ name }) => name).join(", ");

/** What of a table is visible. A beat that came twice, the second time too late to be recognised, is one beat. */
const VISIBLE: Readonly<Partial<Record<TableForm["name"], string>>> = {
  beats: `received_at >= (SELECT beats_from FROM partitions WHERE id = ${PART}) AND NOT (day = 0 AND id LIKE
    '______________7_____________________' AND EXISTS (SELECT 1 FROM beats AS other
      WHERE other.id = beats.id AND other.agent = beats.agent AND other.day <> 0))`,
  flips: `at >= (SELECT flips_from FROM partitions WHERE id = ${PART})`,
};

/** Copied rows have no commit of their own: they lie before the first one, so many under each number. */
const ROWS_A_NUMBER = 2 ** 30;
const FIRST_NUMBER = -(2 ** 20);

/** Opens a database to copy all of it. Nothing is changed. */
export async function postgresSource(url: string): Promise<CopySource> {
  return begin(url, true, async (connection, where) => {
    const version = await versionOf(connection, where);
    if (version < MIGRATIONS.length)
      throw new StoreError(
        "failed",
        version === 0
          ? `the database ${where} holds no store of Rollcall`
          : `the database ${where} has schema version ${version}. Start the watcher once to bring it up to date: rollcall up`,
      );
    await refuseWatched(connection, where);
    await refuseUnheard(connection, where);
    return new PostgresCopy(connection, where, await ownersOf(connection));
  });
}

/** Opens a database to copy a store into it. */
export async function postgresTarget(url: string): Promise<CopyTarget> {
  return begin(url, false, async (connection, where) => new PostgresCopyTarget(connection, where, ""));
}

async function begin<T>(
  url: string,
  readOnly: boolean,
  work: (connection: PgConnection, where: string) => Promise<T>,
): Promise<T> {
  let connection: PgConnection | undefined;
  let where = sayAddress(url);
  try {
    connection = await PgConnection.open({ url, readOnly, answerWithin: 10 * MINUTE });
    const [row] = await connection.run({ text: "SELECT current_schema()" });
    if (row?.[0] !== "public") where += `, schema ${String(row?.[0])}`;
    return await work(connection, where);
  } catch (error) {
    await connection?.close();
    throw error instanceof CopyError ? error : problem(where, error);
  }
}

/** A watcher that is gone without a word counts until its lease ends. */
async function refuseWatched(connection: PgConnection, where: string): Promise<void> {
  const [held] = await connection.run({
    text: `SELECT owner, extract(epoch FROM expires - clock_timestamp())::float8 FROM partitions
      WHERE expires > clock_timestamp() ORDER BY expires DESC LIMIT 1`,
  });
  if (held === undefined) return;
  throw new CopyError(
    "in-use",
    `a watcher is using ${where} ("${String(held[0])}"). Stop it first; if it was killed, wait ${sayDuration(Math.ceil(Number(held[1])) * SECOND)}.`,
  );
}

/** What hubs took and no owner has heard would be lost. */
async function refuseUnheard(connection: PgConnection, where: string): Promise<void> {
  const waiting = numberIn(await connection.run({ text: "SELECT count(*) FROM inbox" }));
  if (waiting > 0)
    throw new CopyError(
      "in-use",
      `${where} holds beats or reports that no hub has processed yet. Start a hub once and stop it again: rollcall up`,
    );
}

/** Who writes a database raises an epoch first. */
async function ownersOf(connection: PgConnection): Promise<string> {
  const rows = await connection.run({ text: "SELECT id, epoch, no FROM partitions ORDER BY id" });
  if (rows.some(([id, , no]) => id !== PART && Number(no) > 0))
    throw new CopyError(
      "bad-place",
      "several hubs share this database. A file holds what one watcher knows, so it cannot take a copy; use pg_dump for a backup.",
    );
  return JSON.stringify(rows);
}

class PostgresCopy implements CopySource {
  readonly name: string;
  protected readonly connection: PgConnection;
  #owners: string;

  constructor(connection: PgConnection, name: string, owners: string) {
    this.connection = connection;
    this.name = name;
    this.#owners = owners;
  }

  async state(): Promise<StoreState> {
    const [row] = await this.ask(
      `SELECT no, ids, mark_at, mark_uptime, mark_boot, spool, spool_last, spool_acked FROM partitions WHERE id = ${PART}`,
    );
    const [no, ids, at, uptime, boot, id, last, acked] = row ?? [];
    const flushed = await this.ask(
      `SELECT count(*) FROM beats WHERE ${VISIBLE.beats} AND no <= (SELECT flushed FROM partitions WHERE id = ${PART})`,
    );
    return {
      ...{ number: Number(no), ids: Number(ids), flushed: numberIn(flushed) },
      mark: at === null ? null : ([at, uptime, boot] as unknown as MarkRow),
      spool: { id: String(id), last: Number(last), acked: Number(acked) },
    };
  }

  async count({ name }: TableForm): Promise<number> {
    return numberIn(
      await this.ask(`SELECT count(*) FROM ${name} WHERE part = ${PART} AND ${VISIBLE[name] ?? "true"}`),
    );
  }

  rows(table: TableForm, after?: RowPlace): AsyncIterable<RowSlice> {
    return table.key === undefined ? this.#ordered(table, after) : this.#keyed(table, table.key, after);
  }

  async check(): Promise<void> {
    if ((await ownersOf(this.connection)) === this.#owners) return;
    throw new CopyError(
      "changed",
      `a watcher has used ${this.name} during the copy. Stop it and run the same command again.`,
    );
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  protected async ask(text: string, values: readonly unknown[] = []): Promise<PgRow[]> {
    try {
      return await this.connection.run({ text, values, within: HOUR });
    } catch (error) {
      throw problem(this.name, error);
    }
  }

  /** Along the index of the key. */
  async *#keyed(table: TableForm, key: readonly string[], after?: RowPlace): AsyncIterable<RowSlice> {
    const by = key.join(", ");
    const names = table.columns.map(([name]) => name).join(", ");
    for (let place = after; ; ) {
      const where =
        place === undefined ? "true" : `(${by}) > (${place.map((_, at) => `$${at + 1}`).join(", ")})`;
      const found = await this.ask(
        `SELECT ${by}, ${names} FROM ${table.name} WHERE part = ${PART} AND ${where} ORDER BY ${by} LIMIT ${SLICE}`,
        place,
      );
      const slice = sliceOf(found, key.length);
      if (slice === undefined) return;
      yield slice;
      place = slice.place;
    }
  }

  /** No index has this order, so the server sorts once, and the rows are fetched from there. */
  async *#ordered({ name, columns }: TableForm, after?: RowPlace): AsyncIterable<RowSlice> {
    const names = columns.map(([column]) => column).join(", ");
    const place = after === undefined ? "" : `AND (no, ord) > (${after.map(Number).join(", ")})`;
    await this.ask("BEGIN READ ONLY");
    try {
      await this.ask(`DECLARE slices NO SCROLL CURSOR FOR SELECT no, ord, ${names} FROM ${name}
        WHERE part = ${PART} AND ${VISIBLE[name] ?? "true"} ${place} ORDER BY no, ord`);
      for (;;) {
        const slice = sliceOf(await this.ask(`FETCH ${SLICE} FROM slices`), 2);
        if (slice === undefined) return;
        yield slice;
      }
    } finally {
      if (!this.connection.isBroken) await this.ask("COMMIT");
    }
  }
}

function sliceOf(found: readonly PgRow[], width: number): RowSlice | undefined {
  const rows = found as readonly (readonly Value[])[];
  const last = rows.at(-1);
  return last === undefined
    ? undefined
    : { rows: rows.map((row) => row.slice(width)), place: last.slice(0, width) };
}

/**
 * Until the copy is complete, no version of Rollcall may use the schema. The table `copying` says what it is a copy of, how
 * far it is, and which process writes it. Every statement writes that table's row, so the process that came last goes on
 * alone, also while the server still works for one that was killed.
 */
class PostgresCopyTarget extends PostgresCopy implements CopyTarget {
  readonly #run = crypto.randomUUID();
  readonly #days = new KnownDays();
  #state: StoreState | undefined;

  async find(): ReturnType<CopyTarget["find"]> {
    const [there] = await this.ask("SELECT to_regclass('copying')::text");
    if (there?.[0] !== null) {
      const [row] = await this.ask("SELECT source, stamp, progress, version FROM copying, schema_version");
      const [source, stamp, progress, version] = (row ?? []) as [string, string, string, number];
      if (version !== MIGRATIONS.length) throw otherVersion(this.name);
      return { source, stamp, progress: JSON.parse(progress) as CopyProgress };
    }
    const version = await this.#orProblem(() => versionOf(this.connection, this.name));
    if (version === 0) {
      await this.#orProblem(() => migrate(this.connection, this.name));
      return "empty";
    }
    if (version < MIGRATIONS.length) throw otherData(this.name);
    await refuseWatched(this.connection, this.name);
    for (const { name } of COPIED)
      if ((await this.ask(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0) return "data";
    return "empty";
  }

  async claim({ source, stamp }: CopyMark, state: StoreState): Promise<void> {
    this.#state = state;
    await this.#transaction(async () => {
      await this.ask(LOCK_SCHEMA);
      const [there] = await this.ask("SELECT to_regclass('copying')::text");
      if (there?.[0] === null) {
        await this.ask(`CREATE TABLE copying (source text NOT NULL, stamp text NOT NULL, run text NOT NULL,
          progress text NOT NULL, oldest int4 NOT NULL, epoch int8 NOT NULL)`);
        await this.ask(
          `WITH owner AS (UPDATE partitions SET epoch = epoch + 1, owner = 'rollcall store copy' WHERE id = ${PART} RETURNING epoch)
          INSERT INTO copying SELECT $1, $2, '', $3, oldest, epoch FROM schema_version, owner`,
          [source, stamp, JSON.stringify(START)],
        );
        await this.ask(`UPDATE schema_version SET oldest = ${UNFINISHED}`);
        await refuseWatched(this.connection, this.name);
      }
      await this.ask("UPDATE copying SET run = $1", [this.#run]);
    });
  }

  async clear({ stamp }: CopyMark): Promise<void> {
    await this.#transaction(async () => {
      await this.#own("stamp = $2, progress = $3", stamp, JSON.stringify(START));
      await this.ask(`TRUNCATE ${TABLES}, beats_by_agent`);
    });
  }

  async put(table: TableForm, rows: RowSlice["rows"], progress: CopyProgress): Promise<void> {
    const { name, columns, key } = table;
    const days = rows.map(DAY_OF[name] ?? (() => 0));
    if (name === "beats" || name === "flips")
      await this.#orProblem(() => this.#days.ensure(this.connection, name === "beats" ? BEATS : FLIPS, days));
    const before = progress.rows - rows.length;
    const places = rows.map((_, at) => this.#placeOf(name, before + at));
    const lists: (readonly [string, ColumnType, readonly Value[]])[] = [
      ...columns.map(([column, type], at) => [column, type, rows.map((row) => row[at] ?? null)] as const),
      ...(key === undefined
        ? ([
            ["no", "int8", places.map(([no]) => no)],
            ["ord", "int4", places.map(([, ord]) => ord)],
          ] as const)
        : []),
      ...(DAY_OF[name] === undefined ? [] : ([["day", "int4", days]] as const)),
    ];
    const names = lists.map(([column]) => column).join(", ");
    const size =
      name === "outgoing" ? { column: ", size", value: ", length(t.body)" } : { column: "", value: "" };
    const found = await this.ask(
      `WITH f AS (UPDATE copying SET progress = $1 WHERE run = $2 RETURNING 1),
        w AS (INSERT INTO ${name} (part, ${names}${size.column}) SELECT ${PART}, t.*${size.value} FROM f,
          unnest(${lists.map(([, type], at) => `$${at + 3}::${type}[]`).join(", ")}) AS t(${names}))
      SELECT 1 FROM f`,
      [JSON.stringify(progress), this.#run, ...lists.map(([, type, values]) => arrayOf(values, type))],
    );
    if (found.length === 0) throw anotherCopies(this.name);
  }

  async finish({ number, ids, mark, spool }: StoreState): Promise<void> {
    await this.#orProblem(() => ensureIndexTables(this.connection, this.#days));
    await this.#transaction(async () => {
      await this.#own("run = run");
      await this.ask("TRUNCATE beats_by_agent");
      await this.ask(INDEX_ALL, [PART, number]);
      await this.ask(
        `UPDATE partitions SET no = $1, ids = $2, flushed = $1::int8 - 1, mark_at = $3, mark_uptime = $4, mark_boot = $5,
          spool = $6, spool_last = $7, spool_acked = $8 WHERE id = ${PART}`,
        [number, ids, ...(mark ?? [null, null, null]), spool.id, spool.last, spool.acked],
      );
    });
  }

  async release(): Promise<void> {
    await this.#transaction(async () => {
      await this.ask(LOCK_SCHEMA);
      await this.#own("run = run");
      const [owned] = await this.ask(
        `UPDATE partitions SET owner = '' FROM copying WHERE id = ${PART} AND partitions.epoch = copying.epoch RETURNING 1`,
      );
      if (owned === undefined)
        throw new CopyError(
          "changed",
          `a watcher has used ${this.name} during the copy. Remove it, and copy again.`,
        );
      await this.ask("UPDATE schema_version SET oldest = copying.oldest FROM copying");
      await this.ask("DROP TABLE copying");
    });
    await this.ask(`ANALYZE ${TABLES}, beats_by_agent`);
  }

  /** The number of the commit, and the place in it. Beats that are not flushed are those of the last commit. */
  #placeOf(name: string, at: number): readonly [no: number, ord: number] {
    const { flushed = 0, number = 0 } = name === "beats" ? (this.#state ?? {}) : {};
    if (name === "beats" && at >= flushed) return [number, at - flushed];
    return [FIRST_NUMBER + Math.floor(at / ROWS_A_NUMBER), at % ROWS_A_NUMBER];
  }

  /** Writes the row of `copying` if this process is the one that copies. */
  async #own(set: string, ...values: readonly unknown[]): Promise<void> {
    const found = await this.ask(`UPDATE copying SET ${set} WHERE run = $1 RETURNING 1`, [
      this.#run,
      ...values,
    ]);
    if (found.length === 0) throw anotherCopies(this.name);
  }

  #transaction(work: () => Promise<void>): Promise<void> {
    return this.#orProblem(() => this.connection.transaction(work));
  }

  async #orProblem<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof CopyError ? error : problem(this.name, error);
    }
  }
}
