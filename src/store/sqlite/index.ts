import { resolve } from "node:path";
import type { Beat } from "../../core/beat.ts";
import type { HostFact } from "../../core/host/fact.ts";
import { checkChanges } from "../../ports/committable.ts";
import type { Changed, Changes, HistoryPage, Store } from "../../ports/store.ts";
import { decodeBody, decodeCycle, decodeFlip, decodeSnapshot } from "./decode.ts";
import { encode } from "./encode.ts";
import type { Age, PageOf, PruneCursor } from "./protocol.ts";
import { limitOf, repositoriesOf } from "./repositories.ts";
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
  return storeOf(await DatabaseThread.open(ENTRY, { ...options, file: resolve(file) }));
}

function storeOf(thread: DatabaseThread): SqliteStore {
  let closed: Promise<void> | undefined;
  return {
    async commit(changes: Changes) {
      checkChanges(changes);
      return thread.ask("commit", encode(changes));
    },
    load: async () => decodeSnapshot(await thread.ask("load", null)),
    beats: async (agent, page) => (await thread.ask("beats", pageOf(agent, page))).map(decodeBody<Beat>),
    flips: async (agent, page) => (await thread.ask("flips", pageOf(agent, page))).map(decodeFlip),
    flipsSince: async (since, agents, most) =>
      (await thread.ask("flipsSince", { since, agents, most })).map(decodeFlip),
    cycles: async (agent, page) => (await thread.ask("cycles", pageOf(agent, page))).map(decodeCycle),
    ...repositoriesOf(thread),
    outgoing: {
      async spool() {
        const [id, facts, bytes, last, acked, forgotten] = await thread.ask("spool", null);
        return { id, facts, bytes, last, acked, forgotten };
      },
      renew: async (id) => void (await thread.ask("renewSpool", id)),
      after: async (after, bytes) =>
        (await thread.ask("outgoing", { after, bytes })).map(([seq, body]) => ({
          seq,
          fact: JSON.parse(body) as HostFact,
        })),
      forget: async (upTo, before) => void (await thread.ask("forgetOutgoing", { upTo, before })),
    },
    async changesSince(number, limit) {
      const rows = await thread.ask("changesSince", { number, limit: limitOf(limit) });
      if (rows === null) return "too-old";
      return rows.map(([number, changed]) => ({ number, changed: JSON.parse(changed) as Changed }));
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

function pageOf(agent: string, page: HistoryPage): PageOf {
  const { limit, before = Number.POSITIVE_INFINITY, skip = 0 } = page;
  return { agent, before, limit: limitOf(limit), skip };
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
