import { DAY, type Instant } from "../../core/duration.ts";
import type { PgConnection } from "./connection.ts";
import { LOCK_SCHEMA } from "./migrate.ts";

/** A kind of history that lies in tables by date, each of so many days. */
export interface DayTables {
  readonly table: "beats" | "beats_by_agent" | "flips";
  readonly days: number;
  /** Whose retention drops it. */
  readonly keeps: "beats" | "flips";
  /** The column that says how old a row is. */
  readonly at: string;
}

/** A year of flips must not make hundreds of tables: a query locks them all. */
export const BEATS: DayTables = { table: "beats", days: 1, keeps: "beats", at: "received_at" };
export const BEATS_BY_AGENT: DayTables = { ...BEATS, table: "beats_by_agent" };
export const FLIPS: DayTables = { table: "flips", days: 7, keeps: "flips", at: "at" };

/** PostgreSQL's word for it: there is no table for the day of a row. */
export const NO_TABLE = "23514";

/** Where rows lie that have no date of their own. */
const OTHER = 0;
/** A beat that comes later than this after its id was made has no date of its own. */
const OLDEST = 40;

/** The first day, counted from 1970, of the table for this moment. */
function tableDay({ days }: DayTables, at: Instant): number {
  const day = Math.floor(at / DAY);
  return day < days || day > 100_000 ? OTHER : day - (day % days);
}

/**
 * The table for a beat. It must follow from the id alone, so that a beat that comes twice meets itself: ids that were made
 * by UUID version 7 begin with their time. One whose time cannot be true goes where all others are.
 */
export function dayOfBeat(id: string, receivedAt: Instant): number {
  if (id.length !== 36 || id[14] !== "7") return OTHER;
  const made = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  if (!(made > receivedAt - OLDEST * DAY && made < receivedAt + DAY)) return OTHER;
  return tableDay(BEATS, made);
}

export function dayOfFlip(noticedAt: Instant): number {
  return tableDay(FLIPS, noticedAt);
}

function nameOf({ table }: DayTables, day: number): string {
  return `${table}_${new Date(day * DAY).toISOString().slice(0, 10).replaceAll("-", "_")}`;
}

/** The tables that are there, so that a commit makes those that it needs. */
export class KnownDays {
  readonly #known = new Set<string>();

  async ensure(connection: PgConnection, tables: DayTables, days: Iterable<number>): Promise<void> {
    for (const day of new Set(days)) {
      const name = nameOf(tables, day);
      if (day === OTHER || this.#known.has(name)) continue;
      await connection.transaction(async () => {
        await connection.run({ text: LOCK_SCHEMA });
        await connection.run({
          text: `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${tables.table} FOR VALUES IN (${day})`,
        });
      });
      this.#known.add(name);
    }
  }

  /** Drops the tables in which everything is older. One that another session holds is left for the next time. */
  async drop(connection: PgConnection, tables: DayTables, before: Instant): Promise<void> {
    const { table, days, at } = tables;
    const found = await connection.run({
      text: "SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = $1::regclass ORDER BY 1",
      values: [table],
    });
    for (const name of found.map(([each]) => String(each))) {
      const first = Date.parse(name.slice(table.length + 1).replaceAll("_", "-"));
      if (!(first + days * DAY <= before)) continue;
      const [newer] = await connection.run({
        text: `SELECT 1 FROM ${name} WHERE ${at} >= $1 LIMIT 1`,
        values: [before],
      });
      if (newer !== undefined) continue;
      await connection.transaction(async () => {
        await connection.run({ text: "SET LOCAL lock_timeout = '2s'" });
        await connection.run({ text: `DROP TABLE IF EXISTS ${name}` });
      });
      this.#known.delete(name);
    }
  }

  /** After an error that says that a table is not there. */
  forget(): void {
    this.#known.clear();
  }
}
