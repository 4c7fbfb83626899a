import type { Config } from "../config/load.ts";
import { tellWithoutStore } from "../features/telling/routing.ts";
import { moveAside } from "../home/aside.ts";
import { type StandingOptions, StandingStore } from "../home/standing-store.ts";
import { StoreEvents } from "../home/store-events.ts";
import { type Snapshot, StoreError } from "../ports/store.ts";
import { problem } from "../store/sqlite/problems.ts";

/** The store, and all that it held when it was opened: it is loaded once. */
interface Opened {
  readonly standing: StandingStore;
  readonly snapshot: Snapshot;
}

/**
 * Opens the store. A damaged database is moved aside, and watching goes on with a new one: agents that nobody watches are
 * worse than a history that waits to be mended.
 */
export async function openStanding(
  config: Config,
  options: StandingOptions & { readonly strict: boolean },
): Promise<Opened> {
  try {
    return await openAndLoad(options);
  } catch (error) {
    const { home, log } = options;
    const isDamaged = error instanceof StoreError && error.code === "corrupt" && home.store === undefined;
    if (options.strict || !isDamaged) throw error;
    const aside = moveAside(home.database, "damaged");
    const what = `the database ${home.database} is damaged; it is kept as ${aside}, and watching goes on with a new one`;
    const lost = "what the damaged one holds, until a copy is put back: rollcall restore FILE --force";
    new StoreEvents(home.path).record({ code: "store-damaged", what, lost });
    log.error({ problem: what }, "store-damaged");
    void tellWithoutStore(config, "store-damaged", `store-damaged: ${what}. Lost: ${lost}`);
    return openAndLoad(options);
  }
}

async function openAndLoad(options: StandingOptions): Promise<Opened> {
  const standing = await StandingStore.open(options);
  try {
    return { standing, snapshot: await standing.store.load() };
  } catch (error) {
    await standing.store.close();
    throw error;
  }
}

/** Whether the disk is full, whichever of our files met it first: the lock, the PID file or the database. */
function isFull(error: unknown): boolean {
  return problem("", error).code === "full" || problem("", (error as Error).cause).code === "full";
}

/** What a start that failed waits for, if time may mend it. */
export function awaited(error: unknown): string | undefined {
  if (isFull(error)) return "room on the disk";
  return error instanceof StoreError && error.code === "unreachable" ? "the database" : undefined;
}

export async function tellNotStarted(
  config: Config,
  error: unknown,
  waits: string | undefined,
): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  const next = waits === undefined ? "it ended" : `it waits for ${waits} and then begins`;
  const text = `the watcher could not start, and no agent is watched; ${next}: ${why}`;
  if (waits !== undefined) process.stderr.write(`rollcall: ${text}\n`);
  await tellWithoutStore(config, "not-started", text);
}
