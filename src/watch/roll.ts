import type { Instant } from "../core/duration.ts";
import type { State, StateCounts } from "../core/liveness/state.ts";
import type { AgentSnapshot } from "../ports/store.ts";
import { Deadlines } from "./deadlines.ts";
import { hear, newPlace, type RollPlace } from "./roll-place.ts";

const NOBODY: ReadonlySet<string> = new Set();

/** Every place on the roll, and when each must be judged again. */
export class Roll {
  readonly places = new Map<string, RollPlace>();
  readonly #deadlines = new Deadlines();
  /** The agents of each other host. */
  readonly #ofHost = new Map<string, Set<string>>();
  readonly #counts: Partial<Record<State, number>> = {};
  #unproven = 0;

  /** How many agents are in each state. */
  get counts(): StateCounts {
    return this.#counts;
  }

  /** How many agents registered themselves without proof. */
  get unproven(): number {
    return this.#unproven;
  }

  /** Puts a place in, or in place of what was there; answers when it must be judged again. */
  put(place: RollPlace): Instant {
    const { id } = place.agent;
    this.#count(id, -1);
    this.places.set(id, place);
    this.#count(id, 1);
    const { host } = place.agent;
    if (host !== undefined) this.#ofHost.set(host, (this.#ofHost.get(host) ?? new Set()).add(id));
    const { next } = place.entry.standing.verdict;
    this.#deadlines.set(id, next);
    return next;
  }

  drop(id: string): void {
    this.#count(id, -1);
    this.#deadlines.delete(id);
    const host = this.places.get(id)?.agent.host;
    if (host !== undefined) this.#ofHost.get(host)?.delete(id);
    this.places.delete(id);
  }

  /** The agents that another host judges. */
  ofHost(host: string): ReadonlySet<string> {
    return this.#ofHost.get(host) ?? NOBODY;
  }

  #count(id: string, change: 1 | -1): void {
    const place = this.places.get(id);
    if (place === undefined) return;
    if (place.agent.unproven === true) this.#unproven += change;
    const { state } = place.entry.standing.verdict;
    this.#counts[state] = (this.#counts[state] ?? 0) + change;
  }

  /** Calls for everybody whose deadline has passed, and answers when the next one does. */
  due(now: Instant, call: (id: string) => void): Instant {
    return this.#deadlines.scan(now, call);
  }

  /** Everybody is due: our own clocks cannot be trusted to have kept the deadlines right. */
  allDue(): void {
    this.#deadlines.all();
  }
}

/** The places as a store knows them: the entries, and the beats that came after they were last written. */
export function placesOf(snapshot: AgentSnapshot): Map<string, RollPlace> {
  const trust = { blind: snapshot.blind };
  const cycles = new Map(snapshot.cycles.map((cycle) => [cycle.agent, cycle]));
  const entries = new Map(snapshot.entries.map((entry) => [entry.agent, entry]));
  const places = new Map<string, RollPlace>();
  for (const agent of snapshot.agents) {
    const fresh = newPlace(agent);
    const place = { ...fresh, entry: entries.get(agent.id) ?? fresh.entry };
    const cycle = cycles.get(agent.id);
    places.set(agent.id, cycle === undefined ? place : { ...place, cycle });
  }
  for (const record of snapshot.records) {
    if (record.kind !== "ping-run") continue;
    const { agent, cycle: number, beganAt } = record.body;
    const place = places.get(agent);
    if (place === undefined || place.cycle?.number === number) continue;
    places.set(agent, {
      ...place,
      older: [...(place.older ?? []), { agent, number, beganAt, lastAt: beganAt }],
    });
  }
  for (const beat of snapshot.unflushed) {
    const place = places.get(beat.agent);
    // As it was heard then: what the clock says now decides nothing.
    if (place !== undefined) places.set(beat.agent, hear(place, beat, beat.receivedAt, trust));
  }
  return places;
}
