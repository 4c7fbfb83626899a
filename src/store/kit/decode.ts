import type { Agent } from "../../core/agent.ts";
import type { Beat, Incarnation } from "../../core/beat.ts";
import type { Cycle } from "../../core/cycle/cycle.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import type { Incident } from "../../core/incident/incident.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Reason, State } from "../../core/liveness/state.ts";
import type { BlindCause } from "../../core/liveness/trust.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import type { Recovery } from "../../core/recovery/recovery.ts";
import type { StoredRecord } from "../../ports/repositories.ts";
import type { AgentSnapshot, LastMark, RollEntry, Snapshot } from "../../ports/store.ts";
import type { CycleRow, FlipRow, Loaded, LoadedAgent, MarkRow, RecordRow, RollRow } from "./protocol.ts";
import { fromColumn } from "./text.ts";

export function decodeSnapshot(loaded: Loaded): Snapshot {
  const { mark } = loaded;
  return {
    ...decodeAgent(loaded),
    number: loaded.number,
    incidents: loaded.incidents.map(decodeBody<Incident>),
    deliveries: loaded.deliveries.map(decodeBody<Delivery>),
    recoveries: loaded.recoveries.map(decodeBody<Recovery>),
    ...(mark === null ? {} : { mark: decodeMark(mark) }),
  };
}

export function decodeAgent(loaded: LoadedAgent): AgentSnapshot {
  return {
    agents: loaded.agents.map(decodeBody<Agent>),
    entries: loaded.roll.map(decodeEntry),
    blind: loaded.blind.map(([from, to, cause]) => ({ from, to, cause: cause as BlindCause })),
    cycles: loaded.cycles.map(decodeCycle),
    records: loaded.records.map(decodeRecord),
    unflushed: loaded.unflushed.map(decodeBody<Beat>),
  };
}

export function decodeMark([at, uptime, bootId, written = null, seen = 0]: MarkRow): LastMark {
  return { at, uptime, bootId, ...(written === null ? {} : { takenOver: { written, seen } }) };
}

/** What was written as JSON and nothing else. */
export function decodeBody<T>([body]: readonly [string, ...unknown[]]): T {
  return JSON.parse(body) as T;
}

export function decodeFlip([agent, at, noticedAt, from, to, reason, why]: FlipRow): Flip {
  return {
    agent: fromColumn(agent),
    from: from as State,
    to: to as State,
    reason: reason as Reason,
    why: fromColumn(why),
    at,
    noticedAt,
  };
}

export function decodeRecord([body, kind, id, at, about, current]: RecordRow): StoredRecord {
  const found = { kind, id: fromColumn(id), at, about: fromColumn(about), current: current === 1 };
  return { ...found, body: JSON.parse(body) as unknown } as StoredRecord;
}

export function decodeCycle(row: CycleRow): Cycle {
  const [agent, number, beganAt, lastAt, lastAction, endedAt, outcome, incarnation] = row;
  return {
    agent: fromColumn(agent),
    number,
    beganAt,
    lastAt,
    ...(lastAction === null ? {} : { lastAction: fromColumn(lastAction) }),
    ...(endedAt === null ? {} : { endedAt }),
    ...(outcome === null ? {} : { outcome: outcome as NonNullable<Cycle["outcome"]> }),
    ...(incarnation === null ? {} : { incarnation: JSON.parse(incarnation) as Incarnation }),
  };
}

function decodeEntry(row: RollRow): RollEntry {
  const [agent, state, reason, why, at, basis, next, since, observations, lastBeat, learnt] = row;
  return {
    agent: fromColumn(agent),
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
