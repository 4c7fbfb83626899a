import { nearest } from "../nearest.ts";

/** What to say to somebody who named an action that is none. */
export function sayUnknownAction(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  if (near !== undefined) return `there is no action "${name}"; did you mean "${near}"?`;
  const all = names.length === 0 ? "the config declares none" : `known actions: ${names.join(", ")}`;
  return `there is no action "${name}"; ${all}`;
}
