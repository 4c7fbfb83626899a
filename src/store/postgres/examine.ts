import type { Millis } from "../../core/duration.ts";
import { PgConnection } from "./connection.ts";

/** What a server says of itself that matters for a store. */
export interface PostgresHealth {
  readonly version: string;
  readonly isStandby: boolean;
  readonly fsync: boolean;
  readonly synchronousCommit: string;
  readonly autovacuum: boolean;
  readonly standbys: number;
  /** Which standbys a commit waits for; empty if for none. */
  readonly waitsFor: string;
  /** Two connections of ours were served by one session, as behind a transaction pooler. */
  readonly isPooled: boolean;
  /** How far its clock is ahead of ours, after the time that the question took. */
  readonly clockAhead: Millis;
  /** Tables that hold many more dead rows than live ones. */
  readonly bloated: readonly { readonly table: string; readonly dead: number; readonly live: number }[];
}

const MANY_DEAD = 100_000;

/** Asks a server. Nothing is changed. */
export async function examinePostgres(url: string): Promise<PostgresHealth> {
  const connection = await PgConnection.open({ url, readOnly: true });
  const other = await PgConnection.open({ url, readOnly: true }).catch(() => undefined);
  try {
    const [settings] = await connection.run({
      text: `SELECT current_setting('server_version'), pg_is_in_recovery(), current_setting('fsync') = 'on',
        current_setting('synchronous_commit'), current_setting('autovacuum') = 'on',
        (SELECT count(*) FROM pg_stat_replication), current_setting('synchronous_standby_names')`,
    });
    const [version, isStandby, fsync, synchronousCommit, autovacuum, standbys, waitsFor] = settings ?? [];
    const bloated = await connection.run({
      text: `SELECT relname, n_dead_tup, n_live_tup FROM pg_stat_user_tables
        WHERE schemaname = current_schema() AND n_dead_tup > ${MANY_DEAD} AND n_dead_tup > 3 * n_live_tup`,
    });
    return {
      version: String(version),
      isStandby: isStandby === true,
      fsync: fsync === true,
      synchronousCommit: String(synchronousCommit),
      autovacuum: autovacuum === true,
      standbys: Number(standbys),
      waitsFor: String(waitsFor),
      isPooled: other !== undefined && (await sessionOf(connection)) === (await sessionOf(other)),
      clockAhead: await clockAhead(connection),
      bloated: bloated.map(([table, dead, live]) => ({
        ...{ table: String(table), dead: Number(dead), live: Number(live) },
      })),
    };
  } finally {
    await Promise.all([connection.close(), other?.close()]);
  }
}

async function sessionOf(connection: PgConnection): Promise<unknown> {
  return (await connection.run({ text: "SELECT pg_backend_pid()" }))[0]?.[0];
}

async function clockAhead(connection: PgConnection): Promise<Millis> {
  const before = Date.now();
  const [row] = await connection.run({
    text: "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8",
  });
  const [theirs, after] = [Number(row?.[0]), Date.now()];
  if (theirs > after) return theirs - after;
  return theirs < before ? theirs - before : 0;
}
