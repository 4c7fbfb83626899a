import type { Beat } from "../../core/beat.ts";
import type { HostFact } from "../../core/host/fact.ts";
import { partsOf } from "../../core/liveness/state-times.ts";
import { checkChanges } from "../../ports/committable.ts";
import type { Changed, Changes, HistoryPage, Store } from "../../ports/store.ts";
import { decodeAgent, decodeBody, decodeCycle, decodeFlip, decodeMark, decodeSnapshot } from "./decode.ts";
import { encode } from "./encode.ts";
import type { Age, AskedDatabase, PageOf, PruneCursor } from "./protocol.ts";
import { limitOf, repositoriesOf } from "./repositories.ts";
import { toColumn } from "./text.ts";

/** A store on a database that answers questions. */
export function storeOf(database: AskedDatabase): Store {
  let closed: Promise<void> | undefined;
  return {
    async commit(changes: Changes) {
      checkChanges(changes);
      return database.ask("commit", encode(changes));
    },
    load: async () => decodeSnapshot(await database.ask("load", null)),
    loadAgent: async (id) => decodeAgent(await database.ask("loadAgent", toColumn(id))),
    async lastMark() {
      const mark = await database.ask("lastMark", null);
      return mark === null ? undefined : decodeMark(mark);
    },
    beats: async (agent, page) => (await database.ask("beats", pageOf(agent, page))).map(decodeBody<Beat>),
    flips: async (agent, page) => (await database.ask("flips", pageOf(agent, page))).map(decodeFlip),
    flipsSince: async (since, agents, most) =>
      (await database.ask("flipsSince", { since, agents: agents.map(toColumn), most })).map(decodeFlip),
    stateTimes: async (agents, cuts) =>
      (await database.ask("stateTimes", { agents: agents.map(toColumn), cuts })).map(
        (each) => each ?? undefined,
      ),
    async beatCounts(agent, cuts) {
      const counts = Array.from({ length: partsOf(cuts) }, () => 0);
      for (const [part, beats] of await database.ask("beatCounts", { agent: toColumn(agent), cuts }))
        if (part in counts) counts[part] = beats;
      return counts;
    },
    cycles: async (agent, page) => (await database.ask("cycles", pageOf(agent, page))).map(decodeCycle),
    ...repositoriesOf(database),
    outgoing: {
      async spool() {
        const [id, facts, bytes, last, acked, forgotten] = await database.ask("spool", null);
        return { id, facts, bytes, last, acked, forgotten };
      },
      renew: async (id) => void (await database.ask("renewSpool", id)),
      after: async (after, bytes) =>
        (await database.ask("outgoing", { after, bytes })).map(([seq, body]) => ({
          seq,
          fact: JSON.parse(body) as HostFact,
        })),
      forget: async (upTo, before) => void (await database.ask("forgetOutgoing", { upTo, before })),
    },
    async changesSince(number, limit) {
      const rows = await database.ask("changesSince", { number, limit: limitOf(limit) });
      if (rows === null) return "too-old";
      return rows.map(([number, changed]) => ({ number, changed: JSON.parse(changed) as Changed }));
    },
    prune: (before) => pruneAll(database, before),
    close() {
      closed ??= database.close();
      return closed;
    },
  };
}

function pageOf(agent: string, page: HistoryPage): PageOf {
  const { limit, before = Number.POSITIVE_INFINITY, skip = 0 } = page;
  return { agent: toColumn(agent), before, limit: limitOf(limit), skip };
}

/** Slice by slice, each a question of its own: commits that are asked meanwhile come in between. */
async function pruneAll(database: AskedDatabase, before: Age): Promise<{ beats: number; flips: number }> {
  const total = { beats: 0, flips: 0 };
  let cursor: PruneCursor | undefined = { table: 0, agent: "" };
  while (cursor !== undefined) {
    const done: Awaited<ReturnType<typeof database.ask<"prune">>> = await database.ask("prune", {
      before,
      cursor,
    });
    total.beats += done.beats;
    total.flips += done.flips;
    cursor = done.next;
  }
  return total;
}
