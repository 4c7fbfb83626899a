import { isTrouble } from "../../src/core/liveness/state.ts";
import type { AgentView, HandlesAnswer, IncidentView } from "../api/shapes.ts";

/** What a person may do about an agent. */
export type HandDeed = "acknowledge" | "resume" | "wake" | "nudge" | "restart" | "next-step";

interface Known {
  readonly incident: IncidentView | undefined;
  /** The steps that its config declares. */
  readonly steps: HandlesAnswer["steps"];
  /** It is of another host, which has a step for it. */
  readonly byHost: boolean;
}

/** The one deed that helps most now; undefined where nothing has to be done, or a question is to be answered. */
export function usefulOf(
  { state }: Pick<AgentView, "state">,
  { incident, steps, byHost }: Known,
): HandDeed | undefined {
  if (state === "paused") return "resume";
  const helps = HELPS[state] ?? [];
  const step = helps.find((each) => steps.includes(each));
  if (step !== undefined) return step;
  if (byHost && helps.length > 0) return "next-step";
  // A question is answered, not acknowledged; and one that is well again needs nothing.
  if (!isTrouble(state) || state === "waiting") return undefined;
  return incident !== undefined && incident.acknowledged === null ? "acknowledge" : undefined;
}

const HELPS: Partial<Record<AgentView["state"], HandlesAnswer["steps"]>> = {
  dead: ["restart", "wake"],
  stalled: ["nudge", "restart"],
  failing: ["restart", "nudge"],
  late: ["nudge"],
};
