import type { Store } from "../../ports/store.ts";
import { storeOf } from "../kit/asked-store.ts";
import { BeatIndex } from "./beat-index.ts";
import { PostgresDatabase, type PostgresOptions } from "./database.ts";

/** A store on a PostgreSQL server: to write for its one owner, else to read. Undefined if there is nothing to read yet. */
export async function openPostgres(options: PostgresOptions): Promise<Store | undefined> {
  const database = await PostgresDatabase.open(options);
  if (database === undefined || options.owner === undefined) return database && storeOf(database);
  return storeOf(new BeatIndex(database, options.url));
}
