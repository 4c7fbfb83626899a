import type { Changed, Changes } from "./store.ts";

/** A store remembers the newest commits that together have so many ids; a commit counts as one more. */
export const REMEMBERED_IDS = 50_000;

export function changedBy(changes: Changes): Changed {
  const changed: Partial<Record<keyof Changed, Set<string>>> = {};
  const note = (kind: keyof Changed, id: string) => {
    const ids = changed[kind];
    if (ids === undefined) changed[kind] = new Set([id]);
    else ids.add(id);
  };
  for (const { agent } of changes.beats ?? []) note("agents", agent);
  for (const { agent } of changes.entries ?? []) note("agents", agent);
  for (const { agent } of changes.cycles ?? []) note("agents", agent);
  for (const { id } of changes.agents ?? []) note("agents", id);
  for (const id of changes.removed ?? []) note("removed", id);
  for (const { agent } of changes.flips ?? []) note("flips", agent);
  for (const { incident } of changes.incidents ?? []) note("incidents", incident.id);
  for (const { key } of changes.deliveries ?? []) note("deliveries", key);
  for (const { recovery } of changes.recoveries ?? []) note("recoveries", recovery.id);
  for (const { action } of changes.runs ?? []) note("runs", action);
  for (const { key } of changes.issues ?? []) note("issues", key);
  for (const { kind, id } of changes.records ?? []) note(kind, id);
  return Object.fromEntries(Object.entries(changed).map(([kind, ids]) => [kind, [...ids]]));
}

/** How many ids of `REMEMBERED_IDS` a commit takes. */
export function sizeOf(changed: Changed): number {
  return Object.values(changed).reduce((sum, ids) => sum + ids.length, 1);
}
