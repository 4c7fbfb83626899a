import { resolve } from "node:path";
import type { Store } from "../../ports/store.ts";
import { storeOf } from "../kit/asked-store.ts";
import type { AskedDatabase } from "../kit/protocol.ts";
import type { SqliteDeps, ThreadCalls } from "./protocol.ts";

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

type AskedFile = AskedDatabase & { ask(call: "copy", file: string): Promise<ThreadCalls["copy"]["answer"]> };

/**
 * The embedded store: one SQLite file in a thread of its own, so that a disk that hangs never holds up the caller; or
 * `here`, in the caller's thread, which saves a command the start of another one. With `readOnly` nothing on the disk is
 * changed.
 */
export async function openSqlite(
  file: string,
  { here = false, ...options }: { readOnly?: boolean; here?: boolean } = {},
): Promise<SqliteStore> {
  const opening = { ...options, file: resolve(file) };
  const database = here ? await openHere(opening) : await openThread(opening);
  return { ...storeOf(database), copyTo: async (to) => void (await database.ask("copy", resolve(to))) };
}

async function openThread(opening: SqliteDeps): Promise<AskedFile> {
  return (await import("./thread.ts")).DatabaseThread.open(ENTRY, opening);
}

async function openHere(opening: SqliteDeps): Promise<AskedFile> {
  const database = (await import("./database.ts")).openDatabase(opening);
  return {
    ask: async <C extends keyof ThreadCalls>(call: C, ask: ThreadCalls[C]["ask"]) => database[call](ask),
    close: async () => void database.close(null),
  };
}
