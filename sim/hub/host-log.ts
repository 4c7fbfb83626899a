import { type Instant, MINUTE, type Millis } from "../../src/core/duration.ts";
import type { HostFact } from "../../src/core/host/fact.ts";
import { type Incident, severityOf } from "../../src/core/incident/incident.ts";
import type { State } from "../../src/core/liveness/state.ts";
import type { Changes } from "../../src/ports/store.ts";
import type { Clocks } from "./clocks.ts";

/** A change of state on a host that its hub must hear of. */
export interface HostFlip {
  readonly agent: string;
  readonly to: State;
  readonly at: Instant;
  /** When that was, and when it was decided and committed, in true time. */
  readonly trueAt: Millis;
  readonly decidedAt: Millis;
  readonly committedAt: Millis;
}

/** An episode as its host has it, and how long it lasted. */
export interface HostEpisode {
  incident: Incident;
  /** When it last changed, in true time. */
  changedAt: Millis;
  /** When it was last open and had been so for a while that nobody may pass over. */
  mustBeTold: boolean;
  /** It changed after the host had joined. */
  joined: boolean;
}

/** Everything that a host committed, since it joined, folded from its commits alone. */
export class HostLog {
  readonly flips: HostFlip[] = [];
  readonly episodes = new Map<string, HostEpisode>();
  /** The state of each, and since when it has been written, in true time. */
  readonly states = new Map<string, { readonly state: State; readonly at: Millis }>();
  /** The facts that were committed, so that each that arrives is one of them. */
  readonly facts = new Set<HostFact>();
  /** How many facts the last commit that had some had, and when it was. */
  lastFacts = 0;
  lastFactsAt: Millis = 0;
  /** How many spools it began. */
  spools = 0;
  #greeted = false;

  apply(changes: Changes, joined: boolean, clocks: Clocks, decidedAt: Millis, now: Millis): void {
    for (const id of changes.removed ?? []) this.states.delete(id);
    for (const { id } of changes.agents ?? [])
      if (!this.states.has(id)) this.states.set(id, { state: "new", at: now });
    const { outgoing = [] } = changes;
    const greets = !this.#greeted && outgoing.some(({ k }) => k === "hello");
    for (const { agent, from, to, at } of changes.flips ?? []) {
      this.states.set(agent, { state: to, at: now });
      if (this.#greeted && (matters(from) || matters(to)))
        this.flips.push({ agent, to, at, trueAt: clocks.trueTime(at), decidedAt, committedAt: now });
    }
    if (greets) this.#greet(changes, now);
    for (const fact of outgoing) this.facts.add(fact);
    if (outgoing.length > 0) {
      const more = now - this.lastFactsAt < 2 * MINUTE ? this.lastFacts : 0;
      [this.lastFacts, this.lastFactsAt] = [more + outgoing.length, now];
    }
    for (const { incident } of changes.incidents ?? []) this.#episode(incident, joined, now);
  }

  /** The hub hears for the first time how everybody is. */
  #greet({ flips = [] }: Changes, now: Millis): void {
    this.#greeted = true;
    for (const [agent, { state }] of this.states) {
      if (!matters(state)) continue;
      const at = flips.find((flip) => flip.agent === agent)?.at ?? 0;
      this.flips.push({
        agent,
        to: state,
        at,
        trueAt: Number.NEGATIVE_INFINITY,
        decidedAt: now,
        committedAt: now,
      });
    }
  }

  #episode(incident: Incident, joined: boolean, now: Millis): void {
    if (incident.kind !== "agent") return;
    const before = this.episodes.get(incident.id);
    const changed =
      before?.incident.change !== incident.change ||
      (before.incident.resolved === undefined) !== (incident.resolved === undefined);
    this.episodes.set(incident.id, {
      incident,
      changedAt: changed ? now : before.changedAt,
      mustBeTold: before?.mustBeTold ?? false,
      joined: changed ? joined : before.joined,
    });
  }
}

/** Trouble, or what nobody can tell: the hub hears of each step into it and out of it. */
export function matters(state: State): boolean {
  return state === "unknown" || severityOf(state) !== undefined;
}
