import type { Agent } from "../../core/agent.ts";
import type { Beat } from "../../core/beat.ts";
import type { Cycle } from "../../core/cycle/cycle.ts";
import type { BlindSpan } from "../../core/liveness/trust.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import { checkChanges, checkOnRoll } from "../../ports/committable.ts";
import {
  type Changes,
  type Kept,
  type KeptPage,
  type Kind,
  type RollEntry,
  type Store,
  StoreError,
  type WatchMark,
} from "../../ports/store.ts";
import { frozen } from "./frozen.ts";
import { History } from "./history.ts";

const BLIND_SPANS = 256;

/**
 * A store that forgets everything with its process: for simulations and tests. It keeps copies that nobody can change;
 * a simulation that has seen that nobody does may hand it another way to keep things.
 */
export function memoryStore(keep: <T>(value: T) => T = frozen): Store {
  const agents = new Map<string, Agent>();
  const entries = new Map<string, RollEntry>();
  const beatIds = new Set<string>();
  const beats = new History<Beat>((beat) => beat.receivedAt);
  const flips = new History<Flip>((flip) => flip.at);
  const cycles = new History<Cycle>(
    (cycle) => cycle.beganAt,
    (cycle) => cycle.number,
  );
  const kept = new Map<Kind, Map<string, Kept>>();
  let blind: BlindSpan[] = [];
  let mark: WatchMark | undefined;
  let unsettled: Beat[] = [];
  let closed = false;

  function apply(changes: Changes): void {
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
      unsettled.push(kept);
    }
    if (changes.settled === true) unsettled = [];
    for (const entry of changes.entries ?? []) entries.set(entry.agent, keep(entry));
    for (const flip of changes.flips ?? []) flips.add(keep(flip));
    for (const cycle of changes.cycles ?? []) {
      cycles.remove(cycle.agent, (other) => other.number === cycle.number);
      cycles.add(keep(cycle));
    }
    if (changes.blind !== undefined && changes.blind.length > 0) {
      blind = [...blind, ...changes.blind.map(keep)].sort((a, b) => a.from - b.from);
    }
    for (const thing of changes.kept ?? []) ofKind(thing.kind).set(thing.id, keep(thing));
    if (changes.mark !== undefined) mark = keep(changes.mark);
  }

  function ofKind(kind: Kind): Map<string, Kept> {
    let things = kept.get(kind);
    if (things === undefined) {
      things = new Map();
      kept.set(kind, things);
    }
    return things;
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
      }),
    load: () =>
      whileOpen(() => ({
        agents: [...agents.values()],
        entries: [...entries.values()],
        blind: blind.slice(-BLIND_SPANS),
        cycles: [...agents.keys()].flatMap((agent) => cycles.page(agent, { limit: 1 })),
        kept: [...kept.values()]
          .flatMap((things) => [...things.values()].filter(({ open }) => open))
          .sort(older),
        ...(mark === undefined ? {} : { mark }),
        unsettled: [...unsettled],
      })),
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
    cycles: (agent, page) => whileOpen(() => cycles.page(agent, page)),
    kept: <K extends Kind>(kind: K, page: KeptPage) =>
      whileOpen(() => {
        const found: Kept[] = [];
        for (const thing of ofKind(kind).values()) if (isOn(thing, page)) found.push(thing);
        found.sort((a, b) => older(b, a));
        return found.slice(0, Math.max(0, Math.trunc(page.limit)));
      }) as Promise<Kept<K>[]>,
    one: <K extends Kind>(kind: K, id: string) =>
      whileOpen(() => ofKind(kind).get(id) as Kept<K> | undefined),
    prune: (before) =>
      whileOpen(() => {
        const forgotten = beats.prune((beat) => beat.receivedAt < before.beats);
        for (const beat of forgotten) beatIds.delete(keyOf(beat));
        const newest = new Set([...agents.keys()].flatMap((agent) => cycles.page(agent, { limit: 1 })));
        cycles.prune((cycle) => cycle.lastAt < before.beats && !newest.has(cycle));
        for (const things of kept.values())
          for (const [id, { open, at }] of things) if (!open && at < before.flips) things.delete(id);
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

function older(a: Kept, b: Kept): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}

function isOn(thing: Kept, { about, open, before, after, idPrefix = "", where = {} }: KeptPage): boolean {
  const { at, id } = thing;
  if (after !== undefined) {
    if (at > after.at || (at === after.at && id >= after.id)) return false;
  } else if (before !== undefined && at >= before) return false;
  if (about !== undefined && thing.about !== about) return false;
  if ((open === true && !thing.open) || !id.startsWith(idPrefix)) return false;
  const body = thing.body as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(where).every(([field, wanted]) => {
    const found = body[field] ?? null;
    return wanted === true ? found !== null : found === wanted;
  });
}
