import type { Changed, Changes } from "./store.ts";

/** A store remembers the newest commits that together have so many ids; a commit counts as one more. */
export const REMEMBERED_IDS = 50_000;

export function changedBy(changes: Changes): Changed {
  const changed: Partial<Record<keyof Changed, Set<string>>> = {};
  const add = (kind: keyof Changed, id: string) => {
    const ids = changed[kind];
    if (ids === undefined) changed[kind] = new Set([id]);
    else ids.add(id);
  };
  const note = <T>(kind: keyof Changed, items: readonly T[] | undefined, idOf: (item: T) => string) => {
    for (const item of items ?? []) add(kind, idOf(item));
  };
  for (const part of ["beats", "entries", "cycles"] as const)
    note<{ readonly agent: string }>("agents", changes[part], ({ agent }) => agent);
  note("agents", changes.agents, ({ id }) => id);
  note("removed", changes.removed, (id) => id);
  note("flips", changes.flips, ({ agent }) => agent);
  note("incidents", changes.incidents, ({ incident }) => incident.id);
  note("deliveries", changes.deliveries, ({ key }) => key);
  note("recoveries", changes.recoveries, ({ recovery }) => recovery.id);
  note("runs", changes.runs, ({ action }) => action);
  note("issues", changes.issues, ({ key }) => key);
  for (const { kind, id } of changes.records ?? []) add(kind, id);
  return Object.fromEntries(Object.entries(changed).map(([kind, ids]) => [kind, [...ids]]));
}

/** How many ids of `REMEMBERED_IDS` a commit takes. */
export function sizeOf(changed: Changed): number {
  return Object.values(changed).reduce((sum, ids) => sum + ids.length, 1);
}
