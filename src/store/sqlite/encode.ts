import type { Agent } from "../../core/agent.ts";
import type { Beat } from "../../core/beat.ts";
import type { Changes, RollEntry } from "../../ports/store.ts";
import type { Batch, Value } from "./protocol.ts";
import { toColumn } from "./text.ts";

/** A commit as flat rows, in the order of the columns that `statements.ts` names. */
export function encode(changes: Changes): Batch {
  const bodies = new Map<Beat, string>();
  return {
    ...part("removed", changes.removed, (rows, id) => rows.push(id)),
    ...part("agents", changes.agents, pushAgent),
    ...part("beats", changes.beats, (rows, beat) => {
      const body = JSON.stringify(beat);
      bodies.set(beat, body);
      rows.push(beat.id, beat.agent, beat.receivedAt, body);
    }),
    ...part("roll", changes.entries, (rows, entry) => pushEntry(rows, entry, bodies)),
    ...part("flips", changes.flips, (rows, flip) =>
      rows.push(flip.agent, flip.at, flip.noticedAt, flip.from, flip.to, flip.reason, toColumn(flip.why)),
    ),
    ...part("cycles", changes.cycles, (rows, cycle) =>
      rows.push(
        cycle.agent,
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
    ...part("kept", changes.kept, (rows, { kind, id, at, about, open, body }) =>
      rows.push(kind, toColumn(id), at, toColumn(about), open ? 1 : 0, JSON.stringify(body)),
    ),
    ...(changes.mark === undefined
      ? {}
      : { mark: [changes.mark.at, changes.mark.uptime, changes.mark.bootId] }),
    ...(changes.settled === true ? { settled: ["settled"] } : {}),
  };
}

function part<T>(
  name: keyof Batch,
  items: readonly T[] | undefined,
  push: (rows: Value[], item: T) => void,
): Batch {
  if (items === undefined || items.length === 0) return {};
  const rows: Value[] = [];
  for (const item of items) push(rows, item);
  return { [name]: rows };
}

function pushAgent(rows: Value[], agent: Agent): void {
  rows.push(agent.id, JSON.stringify(agent));
}

/** The last beat is nearly always one of the same commit: its text is made once. */
function pushEntry(rows: Value[], entry: RollEntry, bodies: ReadonlyMap<Beat, string>): void {
  const { verdict, since } = entry.standing;
  rows.push(
    entry.agent,
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
