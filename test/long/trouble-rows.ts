import { join } from "node:path";
import type { Store } from "../../src/ports/store.ts";
import { openSqlite } from "../../src/store/sqlite/index.ts";

/** What a store has of an agent's troubles. */
export interface TroubleRows {
  readonly flips: readonly string[];
  readonly incidents: readonly string[];
}

/** Every change to or from failing and every episode of an agent, oldest first. `suffix` is what its hub adds to names. */
export async function troubleRows(store: Store, agent: string, suffix = ""): Promise<TroubleRows> {
  const flips = await store.flips(agent, { limit: 100_000 });
  const incidents = await store.incidents.page({ limit: 100_000, subject: agent });
  return {
    flips: flips
      .filter(({ from, to }) => from === "failing" || to === "failing")
      .map(({ to, at }) => `${to} ${at}`)
      .reverse(),
    incidents: incidents
      .map(({ id, resolved }) => `${id.replace(suffix, "")} ${resolved === undefined ? "open" : "over"}`)
      .sort(),
  };
}

/** The same from the file in a home whose watcher has ended. */
export async function troubleRowsIn(home: string, agent: string, suffix = ""): Promise<TroubleRows> {
  const store = await openSqlite(join(home, "rollcall.db"));
  try {
    return await troubleRows(store, agent, suffix);
  } finally {
    await store.close();
  }
}
