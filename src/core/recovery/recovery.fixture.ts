import type { Instant } from "../duration.ts";
import type { Incident } from "../incident/incident.ts";
import { NOON } from "../liveness/case.fixture.ts";
import type { Reason, State } from "../liveness/state.ts";
import type { Verdict } from "../liveness/verdict.ts";
import { DEFAULT_BACKOFF, DEFAULT_BUDGET, DEFAULT_STATES, type Step } from "./ladder.ts";
import type { Recovery } from "./recovery.ts";

/** Made-up steps, incidents and records for the tests of recoveries. */
const rung = (kind: Step["do"]) => ({
  when: { states: DEFAULT_STATES[kind] },
  budget: DEFAULT_BUDGET,
  backoff: DEFAULT_BACKOFF,
});

export const NUDGE: Extract<Step, { do: "nudge" }> = { do: "nudge", text: "continue", ...rung("nudge") };
export const RESTART: Extract<Step, { do: "restart" }> = {
  do: "restart",
  with: { by: "command", command: ["true"] },
  kill: false,
  ...rung("restart"),
};
export const RELEASE: Extract<Step, { do: "release" }> = {
  do: "release",
  with: { by: "command", command: ["true"] },
  ...rung("release"),
};
export const ESCALATE: Extract<Step, { do: "escalate" }> = {
  do: "escalate",
  to: ["ops"],
  ...rung("escalate"),
};

export function incidentOf(state: State, reason: Reason, more: Partial<Incident> = {}): Incident {
  return {
    id: "allegro-1",
    kind: "agent",
    subject: "allegro",
    group: "default",
    state,
    reason,
    why: "it is so",
    severity: "critical",
    since: NOON,
    noticedAt: NOON,
    openedAt: NOON,
    episodes: [NOON],
    flapping: false,
    change: 1,
    told: {},
    findings: { at: NOON, items: [] },
    ...more,
  };
}

export function verdictOf(state: State, reason: Reason): Verdict {
  return { state, reason, why: "it is so", at: NOON, basis: 1, next: Number.POSITIVE_INFINITY };
}

export function recoveryOf(kind: Step["do"], at: Instant, more: Partial<Recovery> = {}): Recovery {
  return {
    id: `r${at}`,
    incident: "allegro-1",
    agent: "allegro",
    do: kind,
    step: 0,
    aim: { state: "dead", reason: "exited" },
    state: "done",
    why: "",
    plannedAt: at,
    startedAt: at,
    endedAt: at,
    ...more,
  };
}
