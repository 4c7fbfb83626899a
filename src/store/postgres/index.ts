import type { Store } from "../../ports/store.ts";
import { storeOf } from "../kit/asked-store.ts";
import { PostgresDatabase, type PostgresOptions } from "./database.ts";

/** A store on a PostgreSQL server: to write for its one owner, else to read. Undefined if there is nothing to read yet. */
export async function openPostgres(options: PostgresOptions): Promise<Store | undefined> {
  const database = await PostgresDatabase.open(options);
  return database === undefined ? undefined : storeOf(database);
}
