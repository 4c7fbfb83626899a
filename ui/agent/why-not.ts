import type { AgentView, IncidentView } from "../api/shapes.ts";

export interface WhyNot {
  readonly acknowledge: string | undefined;
  readonly wake: string | undefined;
  readonly nudge: string | undefined;
  readonly restart: string | undefined;
}

/** Why something cannot be done about an agent now; undefined where it can be tried. The watcher has the last word. */
export function whyNot(agent: AgentView, incident: IncidentView | undefined): WhyNot {
  const { state } = agent;
  return {
    acknowledge: sayAcknowledge(incident),
    wake: state === "paused" ? "It is paused: resume it first." : undefined,
    nudge:
      state === "dead"
        ? "It is dead: there is no process to nudge."
        : state === "paused"
          ? "It is paused: resume it first."
          : undefined,
    restart: sayRestart(state),
  };
}

function sayAcknowledge(incident: IncidentView | undefined): string | undefined {
  if (incident === undefined) return "It has no open incident.";
  return incident.acknowledged === null ? undefined : `Already acknowledged by ${incident.acknowledged.by}.`;
}

/** An agent that waits for a human, is limited or visibly works is never killed. */
function sayRestart(state: AgentView["state"]): string | undefined {
  if (state === "waiting") return "It waits for a human: a restart would lose the question.";
  if (state === "limited") return "It is at a usage limit: a restart would not help.";
  return state === "paused" ? "It is paused: resume it first." : undefined;
}
