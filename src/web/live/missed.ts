import type { Changed, Store } from "../../ports/store.ts";
import {
  showDelivery,
  showFlip,
  showIncident,
  showRecovery,
  showRun,
  showSilence,
} from "../../views/show.ts";
import type { LiveEvent } from "./feed.ts";

/** Whoever missed more than so much reads everything again: that is quicker. */
const MOST_COMMITS = 1000;
const MOST_IDS = 1000;

/** How often each id was changed, by kind. */
type Counts = ReadonlyMap<keyof Changed, ReadonlyMap<string, number>>;

/**
 * What was changed since the commit of this number, as it is now; undefined if that is too much, or is not known any more.
 * Commits are numbered by the store: the reader may have been told of that one by another process.
 */
export async function missedSince(
  store: Store,
  number: number,
  show: (agent: string) => unknown,
  unwritten: Iterable<string>,
): Promise<readonly LiveEvent[] | undefined> {
  const commits = await store.changesSince(number, MOST_COMMITS);
  if (commits === "too-old" || commits.length === MOST_COMMITS) return undefined;
  const counts = countsOf(commits.map(({ changed }) => changed));
  let size = 0;
  for (const ids of counts.values()) size += ids.size;
  if (size > MOST_IDS) return undefined;
  const of = (kind: keyof Changed) => [...(counts.get(kind) ?? [])];
  const each = async <T>(kind: keyof Changed, read: (id: string, count: number) => Promise<T>) =>
    Promise.all(of(kind).map(([id, count]) => read(id, count)));
  const agents = new Set([...of("agents").map(([id]) => id), ...unwritten]);
  const silence = async (id: string) => (await store.records.one("silence", id))?.body;
  const events: readonly LiveEvent[] = [
    { name: "removed", items: of("removed").flatMap(([id]) => (show(id) === undefined ? [id] : [])) },
    {
      name: "flips",
      items: (await each("flips", (id, limit) => store.flips(id, { limit }))).flat().map(showFlip),
    },
    {
      name: "incidents",
      items: there(await each("incidents", (id) => store.incidents.one(id))).map(showIncident),
    },
    {
      name: "deliveries",
      items: there(await each("deliveries", (id) => store.deliveries.one(id))).map(showDelivery),
    },
    {
      name: "recoveries",
      items: there(await each("recoveries", (id) => store.recoveries.one(id))).map(showRecovery),
    },
    {
      name: "runs",
      items: (await each("runs", (action, limit) => store.runs.page({ action, limit }))).flat().map(showRun),
    },
    { name: "silences", items: there(await each("silence", silence)).map(showSilence) },
    // Last: they are shown as they are when everything else has been read.
    { name: "agents", items: there([...agents].map(show)) },
  ];
  return events.filter(({ items }) => items.length > 0);
}

function there<T>(found: readonly (T | undefined)[]): readonly T[] {
  return found.filter((each) => each !== undefined);
}

function countsOf(commits: readonly Changed[]): Counts {
  const counts = new Map<keyof Changed, Map<string, number>>();
  for (const changed of commits)
    for (const [kind, ids] of Object.entries(changed) as [keyof Changed, readonly string[]][]) {
      const known = counts.get(kind) ?? new Map<string, number>();
      counts.set(kind, known);
      for (const id of ids) known.set(id, (known.get(id) ?? 0) + 1);
    }
  return counts;
}
