import { resolve } from "node:path";
import type { Instant } from "../../core/duration.ts";
import { checkChanges } from "../../ports/committable.ts";
import type { Changes, Kept, KeptPage, Kind, Page, Store } from "../../ports/store.ts";
import { decodeBeat, decodeCycle, decodeFlip, decodeKept, decodeSnapshot } from "./decode.ts";
import { encode } from "./encode.ts";
import type { Age, PageOf, PruneCursor } from "./protocol.ts";
import { toColumn } from "./text.ts";
import { DatabaseThread } from "./thread.ts";

/** In the product the thread's bundle lies beside ours; from source it is where the build puts it. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/sqlite-worker.js" : "./sqlite-worker.js",
  import.meta.url,
);
const MOST = 2 ** 31 - 1;

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
  return storeOf(await DatabaseThread.open(ENTRY, { ...options, file: resolve(file) }));
}

function storeOf(thread: DatabaseThread): SqliteStore {
  let closed: Promise<void> | undefined;
  return {
    async commit(changes: Changes) {
      checkChanges(changes);
      await thread.ask("commit", encode(changes));
    },
    load: async () => decodeSnapshot(await thread.ask("load", null)),
    beats: async (agent, page) => (await thread.ask("beats", pageOf(agent, page))).map(decodeBeat),
    flips: async (agent, page) => (await thread.ask("flips", pageOf(agent, page))).map(decodeFlip),
    flipsSince: async (since) => (await thread.ask("flipsSince", since)).map(decodeFlip),
    cycles: async (agent, page) => (await thread.ask("cycles", pageOf(agent, page))).map(decodeCycle),
    async kept<K extends Kind>(kind: K, page: KeptPage) {
      const rows = await thread.ask("kept", {
        kind,
        about: page.about === undefined ? null : toColumn(page.about),
        open: page.open === true,
        idPrefix: page.idPrefix === undefined ? null : toColumn(page.idPrefix),
        where: page.where ?? {},
        ...boundsOf(page),
        ...(page.after === undefined ? {} : { before: page.after.at }),
        // No id is smaller than this one.
        beforeId: toColumn(page.after?.id ?? ""),
      });
      return rows.map(decodeKept) as Kept<K>[];
    },
    async one<K extends Kind>(kind: K, id: string) {
      const row = await thread.ask("one", { kind, id: toColumn(id) });
      return row === null ? undefined : (decodeKept(row) as Kept<K>);
    },
    prune: (before) => pruneAll(thread, before),
    async copyTo(to) {
      await thread.ask("copy", resolve(to));
    },
    close() {
      closed ??= thread.close();
      return closed;
    },
  };
}

function pageOf(agent: string, page: Page): PageOf {
  return { agent, ...boundsOf(page) };
}

function boundsOf({ limit, before }: Page): { before: Instant; limit: number } {
  return {
    before: before ?? Number.POSITIVE_INFINITY,
    limit: Math.min(MOST, Math.max(0, Math.trunc(limit))),
  };
}

/** Slice by slice, each a question of its own: commits that are asked meanwhile come in between. */
async function pruneAll(thread: DatabaseThread, before: Age): Promise<{ beats: number; flips: number }> {
  const total = { beats: 0, flips: 0 };
  let cursor: PruneCursor | undefined = { table: 0, agent: "" };
  while (cursor !== undefined) {
    const done: Awaited<ReturnType<typeof thread.ask<"prune">>> = await thread.ask("prune", {
      before,
      cursor,
    });
    total.beats += done.beats;
    total.flips += done.flips;
    cursor = done.next;
  }
  return total;
}
