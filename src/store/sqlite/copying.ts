import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import {
  anotherCopies,
  CopyError,
  type CopyMark,
  type CopyProgress,
  type CopySource,
  type CopyTarget,
  otherVersion,
  type RowPlace,
  type RowSlice,
  SLICE,
  START,
  type StoreState,
} from "../kit/copying.ts";
import type { MarkRow, Value } from "../kit/protocol.ts";
import { COPIED, type TableForm } from "../kit/tables.ts";
import {
  connectToRead,
  connectToWrite,
  emptyLog,
  inTransaction,
  makeDurable,
  readNumber,
} from "./connection.ts";
import { checkCurrent, checkOwner, versionOf } from "./migrate.ts";
import { APPLICATION_ID, MIGRATIONS, UNFINISHED_ID } from "./migrations.ts";
import { problem } from "./problems.ts";
import { INDEX } from "./statements.ts";

const KNOWN = MIGRATIONS.length;

/** Opens a file to copy all of it. The caller keeps others from writing it. */
export function sqliteSource(file: string): CopySource {
  return orProblem(file, () => {
    const db = connectToRead(file);
    return closedOnError(db, () => {
      checkOwner(db, file, KNOWN);
      checkCurrent(db, file, KNOWN);
      return new SqliteCopy(db, file);
    });
  });
}

/** Opens a file to copy a store into it, and makes it if need be. */
export function sqliteTarget(file: string): CopyTarget {
  return orProblem(file, () => {
    const db = connectToWrite(file);
    return closedOnError(db, () => {
      if (readNumber(db, "PRAGMA application_id") !== UNFINISHED_ID) checkOwner(db, file, KNOWN);
      makeDurable(db);
      // After a crash of the machine the last slices may be missing, and are copied again.
      db.exec("PRAGMA synchronous = NORMAL");
      return new SqliteCopyTarget(db, file);
    });
  });
}

function closedOnError<T>(db: DatabaseSyncInstance, work: () => T): T {
  try {
    return work();
  } catch (error) {
    db.close();
    throw error;
  }
}

function orProblem<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CopyError ? error : problem(file, error);
  }
}

/** The name that a column has here. */
function nameOf(column: string): string {
  return column === "no" ? "number" : column;
}

class SqliteCopy implements CopySource {
  readonly name: string;
  protected readonly db: DatabaseSyncInstance;
  protected readonly file: string;

  constructor(db: DatabaseSyncInstance, file: string) {
    this.db = db;
    this.file = file;
    this.name = `sqlite:${file}`;
  }

  async state(): Promise<StoreState> {
    return this.#orProblem(() => {
      const one = (sql: string) => this.db.prepare(sql).get() as readonly Value[] | undefined;
      const mark = one("SELECT at, uptime, boot_id FROM mark") as MarkRow | undefined;
      const [id = "", acked = 0] = one("SELECT id, acked FROM spool") ?? [];
      const [number = 0, ids = 0] = one("SELECT number, ids FROM commits ORDER BY number DESC LIMIT 1") ?? [];
      const count = (sql: string) => readNumber(this.db, sql);
      return {
        ...{ number: Number(number), ids: Number(ids), mark: mark ?? null },
        flushed: count(
          "SELECT count(*) FROM beats WHERE seq <= (SELECT seq FROM reached WHERE what = 'settled')",
        ),
        spool: {
          id: String(id),
          last: count("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outgoing'"),
          acked: Number(acked),
        },
      };
    });
  }

  async count({ name }: TableForm): Promise<number> {
    return this.#orProblem(() => readNumber(this.db, `SELECT count(*) FROM ${name}`));
  }

  async *rows({ name, columns, key }: TableForm, after?: RowPlace): AsyncIterable<RowSlice> {
    const by = (key ?? ["seq"]).map(nameOf).join(", ");
    const names = columns.map(([column]) => nameOf(column)).join(", ");
    const width = key?.length ?? 1;
    for (let place = after; ; ) {
      const where = place === undefined ? "" : `WHERE (${by}) > (${place.map(() => "?").join(", ")})`;
      const sql = `SELECT ${by}, ${names} FROM ${name} ${where} ORDER BY ${by} LIMIT ${SLICE}`;
      const found = this.#orProblem(() => this.db.prepare(sql).all(...(place ?? [])) as (readonly Value[])[]);
      place = found.at(-1)?.slice(0, width);
      if (place === undefined) return;
      yield { rows: found.map((row) => row.slice(width)), place };
      if (found.length < SLICE) return;
    }
  }

  /** The lock of its home keeps others from writing it. */
  async check(): Promise<void> {}

  async close(): Promise<void> {
    this.db.close();
  }

  #orProblem<T>(work: () => T): T {
    return orProblem(this.file, work);
  }
}

/**
 * Until the copy is complete the file has another application id, so that no version of Rollcall takes it for a store.
 * The table `copying` says what it is a copy of, how far it is, and which process writes it.
 */
class SqliteCopyTarget extends SqliteCopy implements CopyTarget {
  readonly #run = crypto.randomUUID();

  async find(): ReturnType<CopyTarget["find"]> {
    return orProblem(this.file, () => {
      if (readNumber(this.db, "PRAGMA application_id") === UNFINISHED_ID) {
        if (versionOf(this.db) !== KNOWN) throw otherVersion(this.name);
        const [source = "", stamp = "", progress = ""] = this.db
          .prepare("SELECT source, stamp, progress FROM copying")
          .get() as string[];
        return { source, stamp, progress: JSON.parse(progress) as CopyProgress };
      }
      checkOwner(this.db, this.file, KNOWN);
      const version = versionOf(this.db);
      if (version === 0) return "empty";
      checkCurrent(this.db, this.file, KNOWN);
      return COPIED.some(({ name }) => readNumber(this.db, `SELECT count(*) FROM ${name}`) > 0)
        ? "data"
        : "empty";
    });
  }

  async claim(mark: CopyMark): Promise<void> {
    this.#write(() => {
      if (readNumber(this.db, "PRAGMA application_id") !== UNFINISHED_ID) this.#mark(mark);
      this.db.prepare("UPDATE copying SET run = ?").run(this.#run);
    });
  }

  #mark({ source, stamp }: CopyMark): void {
    for (const script of MIGRATIONS.slice(versionOf(this.db))) this.db.exec(script);
    this.db.exec(`PRAGMA user_version = ${KNOWN}; PRAGMA application_id = ${UNFINISHED_ID};
      CREATE TABLE copying (source TEXT NOT NULL, stamp TEXT NOT NULL, run TEXT NOT NULL, progress TEXT NOT NULL)`);
    this.db.prepare("INSERT INTO copying VALUES (?, ?, '', ?)").run(source, stamp, JSON.stringify(START));
  }

  async clear({ stamp }: CopyMark): Promise<void> {
    this.#own(() => {
      for (const name of [...COPIED.map(({ name }) => name), "beats_by_agent", "reached", "mark"])
        this.db.exec(`DELETE FROM ${name}`);
      this.db.exec("DELETE FROM sqlite_sequence; UPDATE spool SET id = '', bytes = 0, acked = 0");
      this.db.prepare("UPDATE copying SET stamp = ?, progress = ?").run(stamp, JSON.stringify(START));
    });
  }

  async put(
    { name, columns, key }: TableForm,
    rows: RowSlice["rows"],
    progress: CopyProgress,
  ): Promise<void> {
    const names = columns.map(([column]) => nameOf(column));
    // Rows without a key are numbered by their place.
    const isNumbered = key === undefined;
    const before = progress.rows - rows.length;
    const all = isNumbered ? ["seq", ...names] : names;
    this.#own(() => {
      const insert = this.db.prepare(
        `INSERT INTO ${name} (${all.join(", ")}) VALUES (${all.map(() => "?").join(", ")})`,
      );
      for (const [at, row] of rows.entries()) insert.run(...(isNumbered ? [before + at + 1, ...row] : row));
      this.db.prepare("UPDATE copying SET progress = ?").run(JSON.stringify(progress));
    });
  }

  async finish({ flushed, mark, spool }: StoreState): Promise<void> {
    this.#own(() => {
      this.db.exec(INDEX);
      this.db.prepare("INSERT OR REPLACE INTO reached VALUES ('settled', ?)").run(flushed);
      if (mark !== null) this.db.prepare("INSERT OR REPLACE INTO mark VALUES (1, ?, ?, ?)").run(...mark);
      this.db.prepare("UPDATE spool SET id = ?, acked = ?").run(spool.id, spool.acked);
      this.db.exec("DELETE FROM sqlite_sequence WHERE name = 'outgoing'");
      if (spool.last > 0)
        this.db.prepare("INSERT INTO sqlite_sequence VALUES ('outgoing', ?)").run(spool.last);
    });
  }

  async release(): Promise<void> {
    this.db.exec("PRAGMA synchronous = FULL");
    this.#own(() => this.db.exec(`DROP TABLE copying; PRAGMA application_id = ${APPLICATION_ID}`));
  }

  override async close(): Promise<void> {
    emptyLog(this.db);
    await super.close();
  }

  /** Writes while this process is the one that copies. */
  #own(steps: () => void): void {
    this.#write(() => {
      const [run] = this.db.prepare("SELECT run FROM copying").get() as string[];
      if (run !== this.#run) throw anotherCopies(this.name);
      steps();
    });
  }

  #write(steps: () => void): void {
    orProblem(this.file, () => inTransaction(this.db, steps));
  }
}
