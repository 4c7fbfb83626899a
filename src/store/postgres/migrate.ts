import { MINUTE } from "../../core/duration.ts";
import { StoreError } from "../../ports/store.ts";
import { unfinishedCopy } from "../kit/copying.ts";
import type { PgConnection } from "./connection.ts";
import { MIGRATIONS, type PostgresMigration } from "./migrations.ts";

/** "roll" in ASCII: the first key of our advisory locks. */
const LOCK_KEY = 0x726f6c6c;

/** The oldest version that may use a schema which a copy is being written into: none may. */
export const UNFINISHED = 2 ** 31 - 1;

/** Takes the lock of this schema until the end of the transaction. */
export const LOCK_SCHEMA = `SELECT pg_advisory_xact_lock(${LOCK_KEY}, hashtext(current_schema()))`;

/** Brings the schema to the version that this program knows. Of several processes one does it, and the others wait. */
export async function migrate(
  connection: PgConnection,
  where: string,
  migrations: readonly PostgresMigration[] = MIGRATIONS,
): Promise<void> {
  if ((await versionOf(connection, where, migrations.length)) >= migrations.length) return;
  await connection.transaction(async () => {
    await connection.run({ text: LOCK_SCHEMA, within: MINUTE });
    await connection.run({
      text: "CREATE TABLE IF NOT EXISTS schema_version (version int4 NOT NULL, oldest int4 NOT NULL)",
    });
    const from = await versionOf(connection, where, migrations.length);
    if (from >= migrations.length) return;
    for (const { sql } of migrations.slice(from)) await connection.run({ text: sql, within: 10 * MINUTE });
    const oldest = migrations.reduce((sum, each) => each.oldest ?? sum, 1);
    await connection.run({ text: "DELETE FROM schema_version" });
    await connection.run({
      text: "INSERT INTO schema_version VALUES ($1, $2)",
      values: [migrations.length, oldest],
    });
  });
}

/** The version of the schema, 0 if there is none. Throws if programs of `known` cannot work with it. */
export async function versionOf(
  connection: PgConnection,
  where: string,
  known = MIGRATIONS.length,
): Promise<number> {
  const [there] = await connection.run({
    text: "SELECT current_schema(), to_regclass('schema_version')::text",
  });
  if (there?.[0] === null)
    throw new StoreError(
      "failed",
      `the database ${where} has no schema that this user may use. Create one, or give the user the right to it.`,
    );
  if (there?.[1] === null) return 0;
  const [row] = await connection.run({ text: "SELECT version, oldest FROM schema_version" });
  const [version, oldest] = [Number(row?.[0] ?? 0), Number(row?.[1] ?? 0)];
  if (oldest === UNFINISHED) {
    const [copy] = await connection.run({ text: "SELECT source FROM copying" });
    throw unfinishedCopy(where, String(copy?.[0]));
  }
  if (oldest > known)
    throw new StoreError(
      "newer-schema",
      `the database ${where} has schema version ${version}, written by a newer Rollcall; this one knows version ${known}. Update Rollcall.`,
    );
  return version;
}
