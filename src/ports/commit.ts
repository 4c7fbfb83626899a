import type { Changed, Changes } from "./store.ts";

/** A store remembers the newest commits that together have so many ids; a commit counts as one more. */
export const REMEMBERED_IDS = 50_000;

export function changedBy(changes: Changes): Changed {
  const changed: { -readonly [Kind in keyof Changed]: string[] } = {};
  const note = <T>(kind: keyof Changed, items: readonly T[] | undefined, idOf: (item: T) => string) => {
    if (items === undefined || items.length === 0) return;
    const ids = changed[kind] ?? [];
    for (const item of items) ids.push(idOf(item));
    changed[kind] = ids;
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
  for (const record of changes.records ?? []) note(record.kind, [record], ({ id }) => id);
  for (const kind in changed) {
    const ids = changed[kind as keyof Changed] ?? [];
    if (ids.length > 1) changed[kind as keyof Changed] = [...new Set(ids)];
  }
  return changed;
}

/** How many ids of `REMEMBERED_IDS` a commit takes. */
export function sizeOf(changed: Changed): number {
  let size = 1;
  for (const kind in changed) size += changed[kind as keyof Changed]?.length ?? 0;
  return size;
}
