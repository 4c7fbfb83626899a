import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Calls, Pruned } from "../kit/protocol.ts";
import { inTransaction } from "./connection.ts";
import { INDEX, PRUNE_BLIND, PRUNES } from "./statements.ts";

/** A slice ends after this long, and a commit that waits comes first. */
const SLICE_MS = 20;
/** Rows that one statement deletes at most: it cannot be interrupted. */
const ROWS = 500;

type Prune = Calls["prune"];

/** Prunes in slices: each call does one and says where the next goes on. */
export function prunerOf(db: DatabaseSyncInstance): (ask: Prune["ask"]) => Pruned {
  const tables = PRUNES.map((table) => ({
    ...table,
    next: db.prepare(table.next),
    remove: db.prepare(table.remove),
  }));
  const blind = db.prepare(PRUNE_BLIND);

  const slice = ({ before, cursor }: Prune["ask"]): Pruned => {
    const until = performance.now() + SLICE_MS;
    const count = { beats: 0, flips: 0 };
    let { agent } = cursor;
    for (let index = cursor.table; index < tables.length; index++, agent = "") {
      const table = tables[index];
      if (table === undefined) break;
      for (;;) {
        if (performance.now() >= until) return { ...count, next: { table: index, agent } };
        const row: readonly [string] | undefined = table.next.get(agent);
        if (row === undefined) break;
        const { changes } = table.remove.run(row[0], before[table.by], ROWS);
        if (table.counts !== undefined) count[table.counts] += changes;
        // A full batch may have left some: the same agent again.
        if (changes < ROWS) agent = row[0];
      }
    }
    blind.run(before.flips);
    return count;
  };
  return (ask) =>
    inTransaction(db, () => {
      db.exec(INDEX);
      return slice(ask);
    });
}
