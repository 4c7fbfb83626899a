import type { AgentView, IncidentView } from "../api/shapes.ts";

type Wish = "acknowledge" | "wake" | "nudge" | "restart";

/** Why something cannot be done about an agent now; undefined where it can be tried. The watcher has the last word. */
export function whyNot(
  { state }: AgentView,
  incident: IncidentView | undefined,
): Readonly<Record<Wish, string | undefined>> {
  const paused = state === "paused" ? "It is paused: resume it first." : undefined;
  const by = incident?.acknowledged?.by;
  return {
    acknowledge: incident === undefined ? "It has no open incident." : by && `Already acknowledged by ${by}.`,
    wake: paused,
    nudge: state === "dead" ? "It is dead: there is no process to nudge." : paused,
    restart: paused,
  };
}
