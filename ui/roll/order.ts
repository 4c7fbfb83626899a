import type { AgentView, State } from "../api/shapes.ts";
import { isTrouble, STATES } from "../words/states.ts";

/** Alive and resting are one place: ordinary life must not make rows jump. */
function rank(state: State): number {
  return STATES.indexOf(state === "resting" ? "alive" : state);
}

/** Trouble first, the newest trouble on top; the rest by name, so that everybody has a place to be found at. */
export function byTrouble(a: AgentView, b: AgentView): number {
  const ranks = rank(a.state) - rank(b.state);
  if (ranks !== 0) return ranks;
  if (isTrouble(a.state) && a.since !== b.since) return a.since < b.since ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}
