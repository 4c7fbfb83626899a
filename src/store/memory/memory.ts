import type { Run } from "../../core/action/state.ts";
import type { Agent } from "../../core/agent.ts";
import type { Beat } from "../../core/beat.ts";
import type { Cycle } from "../../core/cycle/cycle.ts";
import { type Delivery, isUnderWay } from "../../core/delivery/delivery.ts";
import { hostOf, isOpen } from "../../core/incident/incident.ts";
import { partsOf, timesOf } from "../../core/liveness/state-times.ts";
import type { BlindSpan } from "../../core/liveness/trust.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import type { FiledIssue } from "../../core/rca/filed-issue.ts";
import { changedBy, REMEMBERED_IDS, sizeOf } from "../../ports/commit.ts";
import { checkChanges, checkOnRoll } from "../../ports/committable.ts";
import { cursorOf, type RecordKind, type RecordQuery, type StoredRecord } from "../../ports/repositories.ts";
import { SPOOL_BYTES } from "../../ports/spool-limits.ts";
import {
  type Changed,
  type Changes,
  type Commit,
  type IncidentChange,
  PERSISTABLE,
  type RecoveryChange,
  type RollEntry,
  type Store,
  StoreError,
  type WatchMark,
} from "../../ports/store.ts";
import { AgentHistory } from "./history.ts";
import { OutgoingFacts } from "./outgoing.ts";
import { Table } from "./table.ts";

const BLIND_SPANS = 256;

/**
 * A store that forgets everything with its process: for simulations and tests. It keeps copies that nobody can change;
 * a simulation that has seen that nobody does may hand it another way to keep things, and less room for its hub's facts.
 */
export function memoryStore(keep: <T>(value: T) => T = frozen, spoolBytes = SPOOL_BYTES): Store {
  const agents = new Map<string, Agent>();
  const entries = new Map<string, RollEntry>();
  const beatIds = new Set<string>();
  const beats = new AgentHistory<Beat>((beat) => beat.receivedAt);
  const flips = new AgentHistory<Flip>((flip) => flip.at);
  const cycles = new AgentHistory<Cycle>(
    (cycle) => cycle.beganAt,
    (cycle) => cycle.number,
  );
  const incidents = new Table<IncidentChange>(({ incident }) => cursorOf.incident(incident));
  const deliveries = new Table<Delivery>(cursorOf.delivery);
  const recoveries = new Table<RecoveryChange>(({ recovery }) => cursorOf.recovery(recovery));
  const runs = new Table<Run>(cursorOf.run, ({ action, id }) => `${action} ${id}`);
  const issues = new Table<FiledIssue>(cursorOf.issue);
  const records = new Table<StoredRecord>(cursorOf.record, ({ kind, id }) => `${kind} ${id}`);
  const tables = { incidents, deliveries, recoveries, runs, issues, records };
  const outgoing = new OutgoingFacts(spoolBytes);
  const commits = new Commits();
  let blind: BlindSpan[] = [];
  let mark: WatchMark | undefined;
  let unflushed: Beat[] = [];
  let closed = false;

  function apply(changes: Changes): void {
    const { blind: spans = [] } = changes;
    for (const id of changes.removed ?? []) {
      agents.delete(id);
      entries.delete(id);
    }
    for (const agent of changes.agents ?? []) agents.set(agent.id, keep(agent));
    for (const beat of changes.beats ?? []) {
      if (beatIds.has(keyOf(beat))) continue;
      beatIds.add(keyOf(beat));
      const kept = keep(beat);
      beats.add(kept);
      unflushed.push(kept);
    }
    if (changes.flushed === true) unflushed = [];
    for (const entry of changes.entries ?? []) entries.set(entry.agent, keep(entry));
    for (const flip of changes.flips ?? []) flips.add(keep(flip));
    for (const cycle of changes.cycles ?? []) {
      cycles.remove(cycle.agent, (other) => other.number === cycle.number);
      cycles.add(keep(cycle));
    }
    if (spans.length > 0) blind = [...blind, ...spans.map(keep)].sort((a, b) => a.from - b.from);
    for (const part of PERSISTABLE)
      for (const item of changes[part] ?? []) (tables[part] as Table<unknown>).put(keep(item));
    if (changes.outgoing !== undefined && changes.outgoing.length > 0)
      outgoing.add(changes.outgoing.map(keep));
    if (changes.mark !== undefined) mark = keep(changes.mark);
  }

  /** Runs now, in the order of the calls, and answers as the other stores do: with a promise. */
  async function whileOpen<T>(work: () => T): Promise<T> {
    if (closed) throw new StoreError("closed", "the store in memory is closed.");
    return work();
  }

  return {
    commit: (changes) =>
      whileOpen(() => {
        checkChanges(changes);
        checkOnRoll(changes, (id) => agents.has(id));
        apply(changes);
        return commits.add(changedBy(changes));
      }),
    changesSince: (number, limit) => whileOpen(() => commits.since(number, limit)),
    load: () =>
      whileOpen(() => ({
        number: commits.last,
        agents: [...agents.values()],
        entries: [...entries.values()],
        blind: blind.slice(-BLIND_SPANS),
        cycles: [...agents.keys()].flatMap((agent) => cycles.page(agent, { limit: 1 })),
        incidents: incidents.all(({ ofInterest }) => ofInterest).map(({ incident }) => incident),
        deliveries: deliveries.all(isUnderWay),
        recoveries: recoveries.all(({ counts }) => counts).map(({ recovery }) => recovery),
        records: records.all(({ current }) => current).sort((a, b) => compare(a.kind, b.kind)),
        ...(mark === undefined ? {} : { mark }),
        unflushed: [...unflushed],
      })),
    loadAgent: (id) =>
      whileOpen(() => ({
        agents: [agents.get(id)].filter((agent) => agent !== undefined),
        entries: [entries.get(id)].filter((entry) => entry !== undefined),
        blind: blind.slice(-BLIND_SPANS),
        cycles: agents.has(id) ? cycles.page(id, { limit: 1 }) : [],
        records: records.all(({ kind, about, current }) => kind === "ping-run" && about === id && current),
        unflushed: unflushed.filter(({ agent }) => agent === id),
      })),
    lastMark: () => whileOpen(() => mark),
    beats: (agent, page) => whileOpen(() => beats.page(agent, page)),
    flips: (agent, page) => whileOpen(() => flips.page(agent, page)),
    flipsSince: (since, of, most) =>
      whileOpen(() =>
        of.flatMap((agent) =>
          flips
            .page(agent, { limit: most })
            .filter(({ at }) => at >= since)
            .reverse(),
        ),
      ),
    stateTimes: (of, cuts) =>
      whileOpen(() =>
        of.map((agent) => {
          const within = flips.within(agent, cuts.from, cuts.until);
          return within.length === 0 ? undefined : timesOf(within, cuts);
        }),
      ),
    beatCounts: (agent, cuts) =>
      whileOpen(() => {
        const counts = Array.from({ length: partsOf(cuts) }, () => 0);
        for (const { receivedAt } of beats.within(agent, cuts.from, cuts.until)) {
          const part = Math.floor((receivedAt - cuts.from) / cuts.width);
          counts[part] = (counts[part] ?? 0) + 1;
        }
        return counts;
      }),
    cycles: (agent, page) => whileOpen(() => cycles.page(agent, page)),
    incidents: {
      page: ({ subject, state, kind, grouped, host, openSince = 0, ...page }) =>
        whileOpen(() => {
          const passes = ({ incident }: IncidentChange) =>
            (subject === undefined || incident.subject === subject) &&
            (state === undefined || isOpen(incident) === (state === "open")) &&
            (kind === undefined || incident.kind === kind) &&
            (grouped !== true || incident.spokenForBy === undefined) &&
            (host === undefined || hostOf(incident) === host) &&
            (incident.resolved === undefined || incident.resolved.at >= openSince);
          return incidents.page(page, passes).map(({ incident }) => incident);
        }),
      one: (id) => whileOpen(() => incidents.one(id)?.incident),
    },
    deliveries: {
      page: ({ to, incident, state, ...page }) =>
        whileOpen(() =>
          deliveries.page(
            page,
            (each) =>
              (to === undefined || each.to === to) &&
              (incident === undefined || each.incident === incident) &&
              (state !== "under-way" || isUnderWay(each)) &&
              (state !== "ended" || !(isUnderWay(each) || each.state === "superseded")),
          ),
        ),
      one: (key) => whileOpen(() => deliveries.one(key)),
      underWay: () => whileOpen(() => deliveries.all(isUnderWay).length),
    },
    recoveries: {
      page: ({ agent, ...page }) =>
        whileOpen(() => {
          const found = recoveries.page(page, ({ recovery }) => recovery.agent === agent);
          return found.map(({ recovery }) => recovery);
        }),
      one: (id) => whileOpen(() => recoveries.one(id)?.recovery),
    },
    runs: {
      page: ({ action, ...page }) => whileOpen(() => runs.page(page, (run) => run.action === action)),
    },
    issues: {
      page: ({ month, state, ...page }) =>
        whileOpen(() =>
          issues.page(
            page,
            (issue) =>
              (month === undefined || issue.month === month) &&
              (state === undefined || issue.closed === (state === "closed")),
          ),
        ),
      one: (key) => whileOpen(() => issues.one(key)),
    },
    records: {
      page: <K extends RecordKind>(kind: K, { about, current, ...page }: RecordQuery) =>
        whileOpen(() =>
          records.page(
            page,
            (each) =>
              each.kind === kind &&
              (about === undefined || each.about === about) &&
              (current !== true || each.current),
          ),
        ) as Promise<StoredRecord<K>[]>,
      one: <K extends RecordKind>(kind: K, id: string) =>
        whileOpen(() => records.one(`${kind} ${id}`) as StoredRecord<K> | undefined),
    },
    outgoing: {
      spool: () => whileOpen(() => outgoing.spool),
      renew: (id) => whileOpen(() => outgoing.renew(id)),
      after: (number, bytes) => whileOpen(() => outgoing.after(number, bytes)),
      forget: (upTo, before) => whileOpen(() => outgoing.forget(upTo, before)),
    },
    prune: (before) =>
      whileOpen(() => {
        const forgotten = beats.prune((beat) => beat.receivedAt < before.beats);
        for (const beat of forgotten) beatIds.delete(keyOf(beat));
        const newest = new Set([...agents.keys()].flatMap((agent) => cycles.page(agent, { limit: 1 })));
        cycles.prune((cycle) => cycle.lastAt < before.beats && !newest.has(cycle));
        incidents.prune(before.flips, ({ ofInterest }) => !ofInterest);
        deliveries.prune(before.flips, (delivery) => !isUnderWay(delivery));
        recoveries.prune(before.flips, ({ counts }) => !counts);
        runs.prune(before.flips, () => true);
        issues.prune(before.flips, ({ closed }) => closed);
        records.prune(before.flips, ({ current }) => !current);
        blind = blind.filter((span) => span.to >= before.flips);
        return { beats: forgotten.length, flips: flips.prune((flip) => flip.at < before.flips).length };
      }),
    async close() {
      closed = true;
    },
  };
}

/** A beat is known by its agent and id: the ids that one agent sends concern no other. */
function keyOf({ agent, id }: Beat): string {
  return `${agent} ${id}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A frozen copy, without the fields that are undefined: neither the giver nor a reader can change it. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozen)) as T;
  // Spreading first is three times as quick as building it field by field.
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  for (const key in copy) {
    const field = copy[key];
    if (typeof field === "object") copy[key] = frozen(field);
    else if (field === undefined) delete copy[key];
  }
  return Object.freeze(copy) as T;
}

/** The newest commits, by number. */
class Commits {
  readonly #changed = new Map<number, Changed>();
  #last = 0;
  #ids = 0;

  get last(): number {
    return this.#last;
  }

  add(changed: Changed): number {
    this.#last += 1;
    this.#changed.set(this.#last, changed);
    this.#ids += sizeOf(changed);
    // By number: a map is walked from its first entry, past all that were deleted.
    for (;;) {
      const first = this.#last - this.#changed.size + 1;
      const size = sizeOf(this.#changed.get(first) ?? {});
      if (this.#ids - size < REMEMBERED_IDS) return this.#last;
      this.#changed.delete(first);
      this.#ids -= size;
    }
  }

  since(number: number, limit: number): readonly Commit[] | "too-old" {
    const first = this.#last - this.#changed.size + 1;
    if (number < first - 1 || number > this.#last) return "too-old";
    const found: Commit[] = [];
    for (let at = number + 1; at <= this.#last && found.length < limit; at++) {
      found.push({ number: at, changed: this.#changed.get(at) ?? {} });
    }
    return found;
  }
}
