import type { Agent } from "../../core/agent.ts";
import type { Beat, Incarnation } from "../../core/beat.ts";
import type { Cycle } from "../../core/cycle/cycle.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Reason, State } from "../../core/liveness/state.ts";
import type { BlindCause } from "../../core/liveness/trust.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import type { Kept, RollEntry, Snapshot } from "../../ports/store.ts";
import type { AgentRow, BeatRow, CycleRow, FlipRow, KeptRow, Loaded, RollRow } from "./protocol.ts";
import { fromColumn } from "./text.ts";

export function decodeSnapshot(loaded: Loaded): Snapshot {
  const { mark } = loaded;
  return {
    agents: loaded.agents.map(decodeAgent),
    entries: loaded.roll.map(decodeEntry),
    blind: loaded.blind.map(([from, to, cause]) => ({ from, to, cause: cause as BlindCause })),
    cycles: loaded.cycles.map(decodeCycle),
    kept: loaded.kept.map(decodeKept),
    ...(mark === null ? {} : { mark: { at: mark[0], uptime: mark[1], bootId: mark[2] } }),
    unsettled: loaded.unsettled.map(decodeBeat),
  };
}

export function decodeBeat([body]: BeatRow): Beat {
  return JSON.parse(body) as Beat;
}

export function decodeFlip([agent, at, noticedAt, from, to, reason, why]: FlipRow): Flip {
  return {
    agent,
    from: from as State,
    to: to as State,
    reason: reason as Reason,
    why: fromColumn(why),
    at,
    noticedAt,
  };
}

export function decodeKept([kind, id, at, about, open, body]: KeptRow): Kept {
  const found = { kind, id: fromColumn(id), at, about: fromColumn(about), open: open === 1 };
  return { ...found, body: JSON.parse(body) as unknown } as Kept;
}

export function decodeCycle(row: CycleRow): Cycle {
  const [agent, number, beganAt, lastAt, lastAction, endedAt, outcome, incarnation] = row;
  return {
    agent,
    number,
    beganAt,
    lastAt,
    ...(lastAction === null ? {} : { lastAction: fromColumn(lastAction) }),
    ...(endedAt === null ? {} : { endedAt }),
    ...(outcome === null ? {} : { outcome: outcome as NonNullable<Cycle["outcome"]> }),
    ...(incarnation === null ? {} : { incarnation: JSON.parse(incarnation) as Incarnation }),
  };
}

function decodeAgent([body]: AgentRow): Agent {
  return JSON.parse(body) as Agent;
}

function decodeEntry(row: RollRow): RollEntry {
  const [agent, state, reason, why, at, basis, next, since, observations, lastBeat, learnt] = row;
  return {
    agent,
    standing: {
      verdict: {
        state: state as State,
        reason: reason as Reason,
        why: fromColumn(why),
        at,
        basis,
        next,
      },
      since,
    },
    observations: JSON.parse(observations) as Observation[],
    ...(lastBeat === null ? {} : { lastBeat: JSON.parse(lastBeat) as Beat }),
    ...(learnt === null ? {} : (JSON.parse(learnt) as Pick<RollEntry, "rhythm" | "memories">)),
  };
}
