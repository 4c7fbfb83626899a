import { groupOf } from "../core/agent.ts";
import { beatAt } from "../core/beat.ts";
import { type Instant, MINUTE, type Millis } from "../core/duration.ts";
import type { HostEntry, HostFact } from "../core/host/fact.ts";
import { episodeOf } from "../core/incident/episode.ts";
import { type Incident, severityOf } from "../core/incident/incident.ts";
import type { State } from "../core/liveness/state.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { Changes } from "../ports/store.ts";
import type { RollPlace } from "./roll-place.ts";

/** Ordinary news of an agent comes no closer together than this. */
const ENTRIES: Millis = MINUTE;

interface Sent {
  readonly at: Instant;
  readonly says: string;
}

/**
 * What a hub must be told of each commit. Flips to and from trouble, episodes, recoveries and crashes go with the commit that
 * they tell of. The rest of an agent's life is told once a minute at most, with whatever is true by then.
 */
export class Outbox {
  /** The agent that stands for this host: its hub hears of it by every batch. */
  readonly #own: string;
  readonly #sent = new Map<string, Sent>();
  /** Whose entry is newer than what was told. */
  readonly #later = new Set<string>();
  #greeted = false;

  /** Whether the hub may ask for a recovery step of an agent. */
  readonly #canStep: (id: string) => boolean;

  constructor(own: string, canStep: (id: string) => boolean = () => false) {
    this.#own = own;
    this.#canStep = canStep;
  }

  /** Begins anew: the hub knows nothing, or something else. */
  restart(): void {
    this.#greeted = false;
    this.#sent.clear();
  }

  of(
    changes: Changes,
    find: (id: string) => RollPlace | undefined,
    everybody: Iterable<string>,
    incidents: Iterable<Incident>,
    now: Instant,
  ): readonly HostFact[] {
    const facts: HostFact[] = [];
    if (!this.#greeted) facts.push(...this.#greeting(everybody, find, now));
    for (const agent of changes.removed ?? []) facts.push({ k: "removed", at: now, agent });
    const flipped = new Map<string, Flip>();
    for (const flip of changes.flips ?? []) if (isNews(flip)) flipped.set(flip.agent, flip);
    for (const agent of flipped.keys()) {
      const place = find(agent);
      if (place === undefined || agent === this.#own) continue;
      facts.push({ k: "flip", at: now, entry: this.#entryOf(place) });
      this.#later.delete(agent);
    }
    for (const { agent } of changes.entries ?? []) if (!flipped.has(agent)) this.#later.add(agent);
    for (const { id } of changes.agents ?? []) if (!flipped.has(id)) this.#later.add(id);
    facts.push(...this.#due(find, now));
    for (const span of changes.blind ?? []) facts.push({ k: "blind", at: now, span });
    for (const cycle of changes.cycles ?? [])
      if (cycle.outcome === "crashed" || cycle.outcome === "killed")
        facts.push({ k: "cycle", at: now, cycle });
    const told = new Set<string>();
    const tell = (incident: Incident) => {
      if (incident.kind === "group" || incident.subject === this.#own || told.has(incident.id)) return;
      told.add(incident.id);
      facts.push({ k: "episode", at: now, episode: episodeOf(incident) });
    };
    for (const { incident } of changes.incidents ?? []) tell(incident);
    // A hub that knows nothing must tell of what is open already, and one that missed an end must hear of it.
    if (!this.#greeted) for (const incident of incidents) tell(incident);
    for (const { recovery } of changes.recoveries ?? []) facts.push({ k: "recovery", at: now, recovery });
    return facts;
  }

  /** What was committed has been told, as far as we are concerned: the spool sees to the rest. */
  committed({ outgoing = [], removed = [] }: Changes): void {
    for (const id of removed) {
      this.#sent.delete(id);
      this.#later.delete(id);
    }
    for (const fact of outgoing) {
      if (fact.k === "hello") this.#greeted = true;
      if (fact.k !== "entry" && fact.k !== "flip") continue;
      this.#sent.set(fact.entry.id, { at: fact.at, says: JSON.stringify(fact.entry) });
      this.#later.delete(fact.entry.id);
    }
  }

  #greeting(
    everybody: Iterable<string>,
    find: (id: string) => RollPlace | undefined,
    now: Instant,
  ): readonly HostFact[] {
    const agents = [...everybody].filter((id) => id !== this.#own && find(id) !== undefined);
    for (const id of agents) this.#later.add(id);
    return [{ k: "hello", at: now, agents }];
  }

  /** The entries that say something new, of agents of which nothing was told for a while. */
  #due(find: (id: string) => RollPlace | undefined, now: Instant): readonly HostFact[] {
    const facts: HostFact[] = [];
    for (const id of this.#later) {
      const place = find(id);
      const sent = this.#sent.get(id);
      if (place === undefined || id === this.#own) this.#later.delete(id);
      else if (sent === undefined || now - sent.at >= ENTRIES || now < sent.at) {
        const entry = this.#entryOf(place);
        if (sent?.says === JSON.stringify(entry)) this.#later.delete(id);
        else facts.push({ k: "entry", at: now, entry });
      }
    }
    return facts;
  }

  #entryOf({ agent, entry, cycle }: RollPlace): HostEntry {
    const { verdict, since } = entry.standing;
    const beat = entry.lastBeat;
    const number = beat?.cycle ?? cycle?.number;
    const action = beat?.action ?? cycle?.lastAction;
    return {
      id: agent.id,
      ...(agent.name === undefined ? {} : { name: agent.name }),
      group: groupOf(agent),
      state: verdict.state,
      reason: verdict.reason,
      why: verdict.why,
      since,
      ...(beat === undefined ? {} : { lastBeatAt: beatAt(beat) }),
      ...(number === undefined ? {} : { cycle: number }),
      ...(action === undefined ? {} : { action }),
      ...(this.#canStep(agent.id) ? { canStep: true } : {}),
    };
  }
}

/** A flip to or from trouble or a pause, or where nobody can tell, or a first verdict; ordinary life stays on the host. */
function isNews({ from, to }: Flip): boolean {
  return from === "new" || matters(from) || matters(to);
}

function matters(state: State): boolean {
  return state === "unknown" || state === "paused" || severityOf(state) !== undefined;
}
