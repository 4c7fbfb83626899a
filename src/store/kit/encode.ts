import type { Agent } from "../../core/agent.ts";
import type { Beat } from "../../core/beat.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import { agentOf } from "../../core/host/fact.ts";
import { hostOf } from "../../core/incident/incident.ts";
import { changedBy, sizeOf } from "../../ports/commit.ts";
import type { Changes, IncidentChange, RollEntry } from "../../ports/store.ts";
import type { RowBatch, Value } from "./protocol.ts";
import { toColumn } from "./text.ts";

/** A commit as flat rows, in the order of the columns of the tables. */
export function encode(changes: Changes): RowBatch {
  const bodies = new Map<Beat, string>();
  const changed = changedBy(changes);
  return {
    ...part("removed", changes.removed, (rows, id) => rows.push(toColumn(id))),
    ...part("agents", changes.agents, pushAgent),
    ...part("beats", changes.beats, (rows, beat) => {
      const body = JSON.stringify(beat);
      bodies.set(beat, body);
      rows.push(toColumn(beat.id), toColumn(beat.agent), beat.receivedAt, body);
    }),
    ...part("roll", changes.entries, (rows, entry) => pushEntry(rows, entry, bodies)),
    ...part("flips", changes.flips, (rows, flip) =>
      rows.push(
        toColumn(flip.agent),
        flip.at,
        flip.noticedAt,
        flip.from,
        flip.to,
        flip.reason,
        toColumn(flip.why),
      ),
    ),
    ...part("cycles", changes.cycles, (rows, cycle) =>
      rows.push(
        toColumn(cycle.agent),
        cycle.number,
        cycle.beganAt,
        cycle.lastAt,
        cycle.lastAction === undefined ? null : toColumn(cycle.lastAction),
        cycle.endedAt ?? null,
        cycle.outcome ?? null,
        cycle.incarnation === undefined ? null : JSON.stringify(cycle.incarnation),
      ),
    ),
    ...part("blind", changes.blind, (rows, span) => rows.push(span.from, span.to, span.cause)),
    ...part("incidents", changes.incidents, pushIncident),
    ...part("deliveries", changes.deliveries, pushDelivery),
    ...part("recoveries", changes.recoveries, (rows, { recovery, counts }) => {
      const { id, agent, plannedAt } = recovery;
      rows.push(toColumn(id), toColumn(agent), plannedAt, counts ? 1 : 0, JSON.stringify(recovery));
    }),
    ...part("runs", changes.runs, (rows, run) =>
      rows.push(toColumn(run.action), toColumn(run.id), run.dueAt, JSON.stringify(run)),
    ),
    ...part("issues", changes.issues, (rows, issue) => {
      const { key, agent, month = null, createdAt, closed } = issue;
      rows.push(toColumn(key), toColumn(agent), month, createdAt, closed ? 1 : 0, JSON.stringify(issue));
    }),
    ...part("records", changes.records, (rows, { kind, id, at, about, current, body }) =>
      rows.push(kind, toColumn(id), at, toColumn(about), current ? 1 : 0, JSON.stringify(body)),
    ),
    ...part("outgoing", changes.outgoing, (rows, fact) =>
      rows.push(fact.at, fact.k, agentOf(fact) ?? null, JSON.stringify(fact)),
    ),
    ...(changes.mark === undefined
      ? {}
      : { mark: [changes.mark.at, changes.mark.uptime, changes.mark.bootId] }),
    ...(changes.flushed === true ? { flushed: ["settled"] } : {}),
    commit: [sizeOf(changed), JSON.stringify(changed)],
  };
}

function part<T>(
  name: keyof RowBatch,
  items: readonly T[] | undefined,
  push: (rows: Value[], item: T) => void,
): RowBatch {
  if (items === undefined || items.length === 0) return {};
  const rows: Value[] = [];
  for (const item of items) push(rows, item);
  return { [name]: rows };
}

function pushAgent(rows: Value[], agent: Agent): void {
  rows.push(toColumn(agent.id), JSON.stringify(agent));
}

function pushIncident(rows: Value[], { incident, ofInterest }: IncidentChange): void {
  const host = hostOf(incident);
  rows.push(
    toColumn(incident.id),
    toColumn(incident.subject),
    incident.kind,
    incident.openedAt,
    incident.resolved?.at ?? null,
    incident.spokenForBy === undefined ? null : toColumn(incident.spokenForBy),
    ofInterest ? 1 : 0,
    JSON.stringify(incident),
    host === undefined ? null : toColumn(host),
  );
}

function pushDelivery(rows: Value[], delivery: Delivery): void {
  rows.push(
    toColumn(delivery.key),
    toColumn(delivery.to),
    delivery.incident === undefined ? null : toColumn(delivery.incident),
    delivery.createdAt,
    delivery.state,
    JSON.stringify(delivery),
  );
}

/** The last beat is nearly always one of the same commit: its text is made once. */
function pushEntry(rows: Value[], entry: RollEntry, bodies: ReadonlyMap<Beat, string>): void {
  const { verdict, since } = entry.standing;
  rows.push(
    toColumn(entry.agent),
    verdict.state,
    verdict.reason,
    toColumn(verdict.why),
    verdict.at,
    verdict.basis,
    verdict.next,
    since,
    JSON.stringify(entry.observations),
    entry.lastBeat === undefined ? null : (bodies.get(entry.lastBeat) ?? JSON.stringify(entry.lastBeat)),
    learntOf(entry),
  );
}

/** Agents that only beat have learnt nothing, and pay nothing for it. */
function learntOf({ rhythm, memories }: RollEntry): string | null {
  return rhythm === undefined && memories === undefined ? null : JSON.stringify({ rhythm, memories });
}
