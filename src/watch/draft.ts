import { type Agent, isPaused, redeclared } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import { type Cycle, supersede } from "../core/cycle/cycle.ts";
import type { Instant } from "../core/duration.ts";
import { lookedAt } from "../core/liveness/memory.ts";
import type { BlindSpan, Trust } from "../core/liveness/trust.ts";
import { type Flip, NO_BASIS } from "../core/liveness/verdict.ts";
import type { Norm } from "../core/rhythm/norm.ts";
import { sameRule } from "../core/schedule/rule.ts";
import {
  type Changes,
  PERSISTABLE,
  type Persistable,
  type RollEntry,
  type WatchMark,
} from "../ports/store.ts";
import { type FleetPolicy, type Intent, RollError, type SignalFindings } from "./intent.ts";
import type { Newcomers } from "./newcomers.ts";
import {
  hear,
  judged,
  leftCycles,
  newPlace,
  notice,
  olderCycle,
  type RollPlace,
  redated,
} from "./roll-place.ts";

type Lists = Required<Omit<Changes, "mark" | "flushed">>;

/** What a turn has decided so far: changes that others add to until they are committed. */
export type Decided = { readonly [Part in keyof Lists]: Lists[Part][number][] } & {
  mark: WatchMark | undefined;
  flushed: boolean | undefined;
};

/** Adds parts of a commit to what has been decided so far. */
export function addTo(decided: Pick<Decided, keyof Persistable>, parts: Persistable): void {
  for (const part of PERSISTABLE) (decided[part] as unknown[]).push(...(parts[part] ?? []));
}

/**
 * What one turn would change: places are copied into it when they are touched, judged once at the end, and become
 * the truth only if the commit succeeds. An intent that is refused leaves the draft as it was.
 */
export class Draft {
  readonly #known: ReadonlyMap<string, RollPlace>;
  readonly #now: Instant;
  readonly #trust: Trust;
  #policy: FleetPolicy;
  readonly #normOf: (agent: Agent) => Norm;
  readonly #newcomers: Newcomers;
  /** How many agents on the roll registered themselves without proof, those of this draft included. */
  #unproven: number;
  readonly #places = new Map<string, RollPlace>();
  readonly #removed = new Set<string>();
  readonly #agents = new Set<string>();
  readonly #cycles = new Map<string, Cycle>();
  readonly #dirty = new Set<string>();
  readonly #beats: Beat[] = [];
  readonly #blind: BlindSpan[] = [];
  readonly #persisted: Pick<Decided, keyof Persistable> = {
    ...{ incidents: [], deliveries: [], recoveries: [] },
    ...{ runs: [], issues: [], records: [] },
  };
  #judged = false;

  constructor(
    known: ReadonlyMap<string, RollPlace>,
    now: Instant,
    trust: Trust,
    policy: FleetPolicy,
    normOf: (agent: Agent) => Norm,
    newcomers: Newcomers,
    unproven: number,
  ) {
    this.#newcomers = newcomers;
    this.#unproven = unproven;
    this.#normOf = normOf;
    this.#known = known;
    this.#now = now;
    this.#trust = trust;
    this.#policy = policy;
  }

  places(): IterableIterator<RollPlace> {
    return this.#places.values();
  }

  /** The policy that is in force after this turn. */
  get policy(): FleetPolicy {
    return this.#policy;
  }

  take(intent: Intent): void {
    if (intent.kind === "beats") this.#hear(intent.beats);
    else if (intent.kind === "facts") this.#notice(intent.found);
    else if (intent.kind === "declare") this.#declare(intent.policy);
    else if (intent.kind === "add") this.#add(intent.agent);
    else if (intent.kind === "remove") this.#remove(intent.id);
    else if (intent.kind === "pause") this.#pause(intent.id);
    else if (intent.kind === "resume") this.#resume(intent.id);
    else if (intent.kind === "persist") addTo(this.#persisted, intent.parts);
    else this.#blind.push(intent.span);
  }

  /** This agent is to be judged. */
  touch(id: string): void {
    const place = this.find(id);
    if (place !== undefined) this.#places.set(id, place);
  }

  /** Whose entries are newer than what is written: their beats say it all, and are heard again if need be. */
  get dirty(): ReadonlySet<string> {
    return this.#dirty;
  }

  /** Whether those who were touched were judged too. */
  get isJudged(): boolean {
    return this.#judged;
  }

  /**
   * What this turn changes. Everybody who was touched is judged, unless nobody is to be judged now. What only a beat
   * changed is written later, once for many beats.
   */
  judgeAll(judging: boolean): Decided {
    this.#judged = judging;
    const flips: Flip[] = [];
    const entries: RollEntry[] = [];
    for (const [id, found] of this.#places) {
      const agent = redated(found.agent, this.#trust, this.#now);
      const before = agent === found.agent ? found : { ...found, agent };
      if (agent !== found.agent) this.#agents.add(id);
      const { place, flip } = judging
        ? judged(before, this.#now, this.#trust, this.#normOf(before.agent))
        : { place: before, flip: undefined };
      this.#places.set(id, place);
      if (flip !== undefined) flips.push(flip);
      if (flip !== undefined || this.#agents.has(id)) entries.push(place.entry);
      else if (place.entry.observations !== this.#known.get(id)?.entry.observations) this.#dirty.add(id);
    }
    const agents = [...this.#agents].flatMap((id) => this.#places.get(id)?.agent ?? []);
    return {
      agents,
      removed: [...this.#removed],
      beats: this.#beats,
      entries,
      flips,
      cycles: [...this.#cycles.values()],
      blind: this.#blind,
      ...this.#persisted,
      mark: undefined,
      flushed: undefined,
    };
  }

  /** The place as it stands in this draft. */
  find(id: string): RollPlace | undefined {
    return this.#places.get(id) ?? (this.#removed.has(id) ? undefined : this.#known.get(id));
  }

  #get(id: string): RollPlace {
    const place = this.find(id);
    if (place === undefined) throw new RollError("no-such-agent", `there is no agent "${id}"`);
    return place;
  }

  #hear(beats: readonly Beat[]): void {
    if (!this.#policy.autoRegister) for (const beat of beats) this.#get(beat.agent);
    this.#admit(beats);
    for (const beat of beats) {
      const before = this.find(beat.agent) ?? this.#register(beat);
      const place = hear(before, beat, this.#now, this.#trust);
      this.#places.set(beat.agent, place);
      this.#beats.push(beat);
      const older = olderCycle(before, beat);
      if (older !== undefined) {
        this.#cycles.set(`${beat.agent} ${older.number}`, older);
        continue;
      }
      this.#leave(before, place);
      const { cycle } = place;
      if (cycle !== undefined && beat.cycle === cycle.number && cycle.number !== before.cycle?.number) {
        this.#cycles.set(`${beat.agent} ${beat.cycle}`, cycle);
      } else if (cycle !== undefined && beat.cycleEvent !== undefined) {
        this.#cycles.set(`${beat.agent} ${cycle.number}`, cycle);
      }
    }
  }

  /** Refuses beats by which more agents would register themselves without proof than may. */
  #admit(beats: readonly Beat[]): void {
    let strangers: Set<string> | undefined;
    for (const { agent, unproven } of beats) {
      if (unproven !== true || this.find(agent) !== undefined) continue;
      strangers ??= new Set();
      strangers.add(agent);
    }
    if (strangers !== undefined) this.#join(strangers.size);
  }

  #join(count: number): void {
    const crowded = this.#newcomers.refusal(count, this.#unproven);
    if (crowded !== undefined) throw new RollError("too-many-agents", crowded.why, crowded.retryAfter);
    this.#unproven += count;
  }

  /** Who was removed meanwhile is passed over: its traces go on, but nobody asks for them. */
  #notice(found: readonly SignalFindings[]): void {
    for (const { agent, facts, memories } of found) {
      const before = this.find(agent);
      if (before === undefined) continue;
      const place = notice(before, facts, memories, this.#trust, this.#now);
      this.#places.set(agent, place);
      this.#leave(before, place);
    }
  }

  #leave(before: RollPlace, after: RollPlace): void {
    for (const cycle of leftCycles(before, after))
      this.#cycles.set(`${cycle.agent} ${cycle.number}`, supersede(cycle));
  }

  #register(beat: Beat): RollPlace {
    this.#agents.add(beat.agent);
    return newPlace({
      id: beat.agent,
      rule: this.#policy.defaultRule,
      origin: "beat",
      ...(beat.unproven === true ? { unproven: true } : {}),
      addedAt: Math.min(this.#now, beat.receivedAt),
    });
  }

  #declare(policy: FleetPolicy): void {
    this.#policy = policy;
    const { agents, defaultRule } = policy;
    const declared = new Set(agents.map(({ id }) => id));
    for (const agent of agents) this.#change(agent.id, agent);
    for (const [id, { agent, entry }] of this.#known) {
      if (agent.origin === "added" || declared.has(id)) continue;
      // An agent that is no longer declared stays on the roll if it has been heard. The default rule is for all agents
      // that registered themselves, also when it changes.
      if (agent.origin === "config" && entry.lastBeat === undefined) this.#remove(id, true);
      else if (agent.origin === "config" || !sameRule(agent.rule, defaultRule))
        this.#change(id, { ...agent, origin: "beat", rule: defaultRule });
    }
  }

  /** Gives an agent a new declaration. What is known of it stays; a new rule judges it afresh. */
  #change(id: string, agent: Agent): void {
    const place = this.find(id);
    this.#agents.add(id);
    if (place === undefined) {
      this.#places.set(id, newPlace(agent));
      return;
    }
    const kept = redeclared(place.agent, agent);
    this.#places.set(
      id,
      sameRule(kept.rule, place.agent.rule) ? { ...place, agent: kept } : afresh(place, kept),
    );
  }

  #add(agent: Agent): void {
    const known = this.find(agent.id);
    if (known?.agent.origin === "config") {
      throw new RollError(
        "declared-in-config",
        `"${agent.id}" is declared in the config file; change it there`,
      );
    }
    if (known?.agent.origin === "added") {
      throw new RollError("agent-exists", `there is already an agent "${agent.id}"`);
    }
    if (agent.unproven === true && known === undefined) this.#join(1);
    this.#change(agent.id, agent);
  }

  #remove(id: string, declared = false): void {
    const { agent } = this.#get(id);
    if (agent.origin === "config" && !declared) {
      throw new RollError("declared-in-config", `"${id}" is declared in the config file; remove it there`);
    }
    this.#places.delete(id);
    this.#agents.delete(id);
    this.#removed.add(id);
  }

  #pause(id: string): void {
    const place = this.#get(id);
    if (isPaused(place.agent)) return;
    const { pausedAt = 0, resumedAt = 0 } = place.agent;
    const heard = place.entry.observations.some((fact) => lookedAt(fact) >= resumedAt);
    this.#agents.add(id);
    this.#places.set(id, {
      ...place,
      agent: {
        ...place.agent,
        pausedAt: Math.max(this.#now, resumedAt + 1),
        ...(resumedAt === 0 || heard ? {} : { unheardSince: pausedAt }),
      },
    });
  }

  #resume(id: string): void {
    const place = this.#get(id);
    if (!isPaused(place.agent)) return;
    this.#agents.add(id);
    // Pauses without a sign of life between them are one: in neither it had its chance.
    const { unheardSince, pausedAt = this.#now, ...agent } = place.agent;
    this.#places.set(id, {
      ...place,
      // If the clock was set back meanwhile, the pause must not end in the future.
      agent: {
        ...agent,
        pausedAt: Math.min(this.#now, unheardSince ?? pausedAt, pausedAt),
        resumedAt: this.#now,
      },
    });
  }
}

/** The place without the hold that an earlier verdict has on the next one: another rule, another judgement. */
function afresh(place: RollPlace, agent: Agent): RollPlace {
  const { standing } = place.entry;
  const verdict = { ...standing.verdict, basis: NO_BASIS };
  return { ...place, agent, entry: { ...place.entry, standing: { ...standing, verdict } } };
}
