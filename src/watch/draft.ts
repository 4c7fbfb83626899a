import { type Agent, isDeclared, isPaused, redeclared, sameDeclaration } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import { type Cycle, supersede } from "../core/cycle/cycle.ts";
import type { Instant, Millis } from "../core/duration.ts";
import { type HostEntry, hostAgent, hubName } from "../core/host/fact.ts";
import type { KnownHost } from "../core/host/host.ts";
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
import { type FleetPolicy, type HostReport, type Intent, RollError, type SignalFindings } from "./intent.ts";
import {
  agentForHost,
  agentOfHost,
  cycleHere,
  markOf,
  recordOf,
  recoveryHere,
  withContact,
  withVerdict,
} from "./mirror.ts";
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

/** How many are judged in one turn at most because of time or of another policy: others must get their turn in between. */
export const JUDGED = 256;

type Lists = Required<Omit<Changes, "mark" | "flushed">>;

/** What a turn has decided so far: changes that others add to until they are committed. */
export type Decided = { readonly [Part in keyof Lists]: Lists[Part][number][] } & {
  mark: WatchMark | undefined;
  flushed: boolean | undefined;
};

/** Adds parts of a commit to what has been decided so far. */
export function addTo(decided: Pick<Decided, keyof Persistable>, parts: Persistable): void {
  for (const part of PERSISTABLE) {
    const more = parts[part];
    if (more !== undefined && more.length > 0) (decided[part] as unknown[]).push(...more);
  }
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
  #written: readonly RollEntry[] = [];
  readonly #beats: Beat[] = [];
  readonly #blind: BlindSpan[] = [];
  readonly #persisted: Pick<Decided, keyof Persistable> = {
    incidents: [],
    deliveries: [],
    recoveries: [],
    runs: [],
    issues: [],
    records: [],
  };
  /** Whose host told something: that is written at once, with the host's number. */
  readonly #told = new Set<string>();
  /** Changes of state that hosts told of, in their order. */
  #toldFlips: Flip[] = [];
  readonly #ofHost: (host: string) => Iterable<string>;
  #judged = false;
  /** Whom another policy changed, if they are too many for one turn: they are judged later, a slice at a time. */
  #later: ReadonlySet<string> = new Set();

  constructor(
    known: ReadonlyMap<string, RollPlace>,
    now: Instant,
    trust: Trust,
    policy: FleetPolicy,
    normOf: (agent: Agent) => Norm,
    newcomers: Newcomers,
    unproven: number,
    ofHost: (host: string) => Iterable<string> = () => [],
  ) {
    this.#ofHost = ofHost;
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
    else if (intent.kind === "report") this.#report(intent.report);
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

  /** Whose entries this turn changed, whether they are written with it or later. */
  changed(): readonly string[] {
    return [...this.#dirty, ...this.#written.map(({ agent }) => agent)];
  }

  /** Whether somebody who was touched was judged too. */
  isJudged(id: string): boolean {
    return this.#judged && !this.#later.has(id);
  }

  /**
   * What this turn changes. Everybody who was touched is judged, unless nobody is to be judged now. What only a beat
   * changed is written later, once for many beats.
   */
  judgeAll(judging: boolean): Decided {
    this.#judged = judging;
    const flips: Flip[] = [...this.#toldFlips];
    const entries: RollEntry[] = [];
    // Whoever is touched in here is judged too: a host that is lost or back changes what is known of its agents.
    for (const [id, found] of this.#places) {
      const agent = redated(found.agent, this.#trust, this.#now);
      const before = agent === found.agent ? found : { ...found, agent };
      if (agent !== found.agent) this.#agents.add(id);
      const { place, flip } = this.isJudged(id)
        ? judged(before, this.#now, this.#trust, this.#normOf(before.agent))
        : { place: before, flip: undefined };
      this.#places.set(id, place);
      if (flip !== undefined)
        flips.push(agent.hostKind === undefined ? flip : withCount(flip, this.#contact(agent, flip).length));
      if (flip !== undefined || this.#agents.has(id)) entries.push(place.entry);
      else if (this.#told.has(id)) entries.push(place.entry);
      else if (isNewer(place.entry, this.#known.get(id)?.entry)) this.#dirty.add(id);
    }
    this.#written = [...entries];
    const agents = [...this.#agents].flatMap((id) => this.#places.get(id)?.agent ?? []);
    return {
      agents,
      removed: [...this.#removed],
      beats: this.#beats,
      entries,
      flips,
      cycles: [...this.#cycles.values()],
      blind: this.#blind,
      incidents: this.#persisted.incidents,
      deliveries: this.#persisted.deliveries,
      recoveries: this.#persisted.recoveries,
      runs: this.#persisted.runs,
      issues: this.#persisted.issues,
      records: this.#persisted.records,
      outgoing: [],
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
    for (const { agent } of beats) this.#mustBeOurs(agent);
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

  /** Of an agent of another host only that host has a say. */
  #mustBeOurs(id: string, says = "only that host reports it"): void {
    const { host, hostKind, name = "" } = this.find(id)?.agent ?? {};
    if (hostKind !== undefined)
      throw new RollError("agent-of-host", `"${id}" stands for host ${name}; ${says}`);
    if (host !== undefined) throw new RollError("agent-of-host", `"${id}" runs on host ${host}; ${says}`);
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

  /** Takes a host's word for its agents, fact by fact, each once: the host is committed with them. */
  #report({ host: hostAt, facts }: HostReport): void {
    const host = hostAt(this.#now);
    const { name, offset } = host;
    const shift = offset?.used ?? 0;
    const station = this.find(hostAgent(name)) ?? this.#place(agentForHost(host));
    const heard = this.#judgeNow(notice(station, [markOf(this.#now)], {}, this.#trust, this.#now));
    // Its word counts again before its facts do: what it tells now is not lost in what nobody knew.
    if (heard !== undefined)
      for (const id of this.#contact(station.agent, heard)) this.#judgeNow(this.#get(id));
    for (const fact of facts) {
      if (fact.k === "entry" || fact.k === "flip") this.#hostSays(fact.entry, host, shift);
      else if (fact.k === "removed") this.#forget(hubName(fact.agent, name));
      else if (fact.k === "hello") {
        const there = new Set(fact.agents.map((agent) => hubName(agent, name)));
        for (const id of [...this.#ofHost(name)]) if (!there.has(id)) this.#forget(id);
      } else if (fact.k === "recovery")
        this.#persisted.recoveries.push({
          recovery: recoveryHere(fact.recovery, name, shift),
          counts: false,
        });
      else if (fact.k === "cycle") {
        const cycle = cycleHere(fact.cycle, name, shift);
        this.#cycles.set(`${cycle.agent} ${cycle.number}`, cycle);
      }
    }
    // As one with its record: otherwise a crash could leave a place that nobody may remove.
    if (host.revokedAt !== undefined) this.#forget(hostAgent(name));
    this.#persisted.records.push(recordOf(host));
  }

  #hostSays(entry: HostEntry, host: KnownHost, offset: Millis): void {
    const agent = agentOfHost(entry, host, offset, this.#now);
    const known = this.find(agent.id) ?? this.#place(agent);
    const { name, group } = agent;
    const changed = known.agent.name !== name || known.agent.group !== group;
    if (changed) this.#agents.add(agent.id);
    const place = changed ? { ...known, agent: redeclared(known.agent, agent) } : known;
    this.#judgeNow(withVerdict(place, entry, offset, this.#now));
  }

  /** Judges a place before the others: several words of a host in one turn are several changes. */
  #judgeNow(place: RollPlace): Flip | undefined {
    const { id } = place.agent;
    const after = judged(place, this.#now, this.#trust);
    if (after.flip !== undefined) this.#toldFlips.push(after.flip);
    this.#places.set(id, after.place);
    this.#told.add(id);
    return after.flip;
  }

  #forget(id: string): void {
    if (this.find(id) === undefined) return;
    this.#places.delete(id);
    this.#agents.delete(id);
    this.#told.delete(id);
    // No store keeps a change of who is not on the roll.
    this.#toldFlips = this.#toldFlips.filter((flip) => flip.agent !== id);
    this.#removed.add(id);
  }

  #place(agent: Agent): RollPlace {
    this.#agents.add(agent.id);
    return newPlace(agent);
  }

  /** What becomes of a host's agents when it is lost or back. */
  #contact({ name = "" }: Agent, { to, at }: Flip): readonly string[] {
    const there = [...this.#ofHost(name)].filter((id) => this.find(id) !== undefined);
    for (const id of there) {
      const place = this.#get(id);
      // Put at the end: whoever is judged one by one comes to it.
      const after = withContact(place, at, to === "unknown");
      this.#places.delete(id);
      this.#places.set(id, after);
      // Written with this commit even if nothing flips: the dead do not, and contact must survive a kill.
      if (after !== place) this.#told.add(id);
    }
    return there;
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
    for (const agent of agents) {
      const known = this.find(agent.id)?.agent;
      if (known === undefined || !sameDeclaration(known, redeclared(known, agent)))
        this.#change(agent.id, agent);
    }
    for (const [id, { agent }] of this.#known) {
      if (agent.origin === "added" || agent.origin === "host" || declared.has(id)) continue;
      // An agent that is no longer declared leaves the roll, also if it was heard: under the default rule its old
      // silence could look like life. If it beats again, it registers itself as any other agent does.
      if (isDeclared(agent)) this.#remove(id, true);
      // The default rule is for all agents that registered themselves, also when it changes.
      else if (!sameRule(agent.rule, defaultRule)) this.#change(id, { ...agent, rule: defaultRule });
    }
    if (this.#agents.size > JUDGED) this.#later = new Set(this.#agents);
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
    if (known !== undefined && isDeclared(known.agent))
      throw new RollError("declared-in-config", sayDeclared(known.agent, "change it there"));
    if (known?.agent.origin === "added") {
      throw new RollError("agent-exists", `there is already an agent "${agent.id}"`);
    }
    if (known?.agent.hostKind !== undefined) throw standsForHost(known.agent);
    this.#mustBeOurs(agent.id, "only that host declares it");
    if (agent.unproven === true && known === undefined) this.#join(1);
    this.#change(agent.id, agent);
  }

  #remove(id: string, declared = false): void {
    const { agent } = this.#get(id);
    if (isDeclared(agent) && !declared)
      throw new RollError("declared-in-config", sayDeclared(agent, "remove it there"));
    if (agent.hostKind !== undefined) throw standsForHost(agent);
    // Its host still watches it, and would put it back.
    this.#mustBeOurs(id, "that host watches it, so remove it there");
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

/** Without this agent the hub would not notice that the host is lost: it leaves the roll with its host only. */
function standsForHost({ id, name = "" }: Agent): RollError {
  const says = `"${id}" stands for host ${name}; to remove the host and its agents: rollcall hosts revoke ${name}`;
  return new RollError("agent-of-host", says);
}

function sayDeclared({ id, origin }: Agent, todo: string): string {
  return origin === "watcher"
    ? `"${id}" is the watcher itself; its interval is daemon.heartbeat.every in the config file`
    : `"${id}" is declared in the config file; ${todo}`;
}

/** Whoever hears that a host is lost wants to know how many agents run there. */
function withCount(flip: Flip, count: number): Flip {
  if (flip.to !== "unknown") return flip;
  return { ...flip, why: `${flip.why}; ${count === 1 ? "1 agent runs" : `${count} agents run`} there` };
}

/** A beat that adds no fact, because a later stamp is known from before the clock was set back, is still the last beat. */
function isNewer(entry: RollEntry, known: RollEntry | undefined): boolean {
  return entry.observations !== known?.observations || entry.lastBeat !== known?.lastBeat;
}
