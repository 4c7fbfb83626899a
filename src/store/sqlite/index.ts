import { resolve } from "node:path";
import type { Store } from "../../ports/store.ts";
import { storeOf } from "../kit/asked-store.ts";
import { DatabaseThread } from "./thread.ts";

/** In the product the thread's bundle lies beside ours; from source it is where the build puts it. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/sqlite-worker.js" : "./sqlite-worker.js",
  import.meta.url,
);

/** A store in a file, which can be copied while it is in use. */
export interface SqliteStore extends Store {
  /** Writes all that is committed into a new file, also when the store's own file has lost its name. */
  copyTo(file: string): Promise<void>;
}

/**
 * The embedded store: one SQLite file in a thread of its own, so that a disk that hangs never holds up the
 * caller. With `readOnly` nothing on the disk is changed.
 */
export async function openSqlite(file: string, options: { readOnly?: boolean } = {}): Promise<SqliteStore> {
  const thread = await DatabaseThread.open(ENTRY, { ...options, file: resolve(file) });
  return { ...storeOf(thread), copyTo: async (to) => void (await thread.ask("copy", resolve(to))) };
}
