import { isPaused } from "../src/core/agent.ts";
import { MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import { isSilence, severityOf } from "../src/core/incident/incident.ts";
import { silencedUntil } from "../src/core/incident/policy.ts";
import { fairChance, sameRule } from "../src/core/schedule/rule.ts";
import type { Changes } from "../src/ports/store.ts";
import type { Conditions } from "./conditions.ts";
import type { Ledger } from "./ledger.ts";
import type { Report } from "./violation.ts";
import type { Wire } from "./wire.ts";

/** Clocks that part by less than this need not be noticed. */
const TOLERANCE: Millis = 3 * SECOND;
/** What the simulated watcher may take to notice: it looks once a minute, after a break, and at the deadline. */
const NOTICE: Millis = 2 * MINUTE + 30 * SECOND;
/** A death is told so long after it was noticed: 2 min of hold, 5 min of channel, and a minute of our own pace. */
const TELL: Millis = 8 * MINUTE;

/** What the watcher knew of its world when it decided something. */
export interface Moment {
  readonly at: Millis;
  /** How often the watch had been broken. */
  readonly breaks: number;
}

/** Somebody must be told of this agent's trouble. */
interface Debt {
  /** For each place that has not heard of it: for how long it could have. */
  readonly owed: Map<string, Millis>;
}

/** Invariants 1, 4 and 20: every death is noticed and told in time, and none is made up by what the watcher itself missed. */
export class Deaths {
  readonly #ledger: Ledger;
  readonly #conditions: Conditions;
  readonly #wires: readonly Wire[];
  readonly #report: Report;
  /** When a beat of each agent was last taken in, and when the last one that had not waited in a spool arrived. */
  readonly #heard = new Map<string, Millis>();
  readonly #heardItself = new Map<string, Millis>();
  readonly #resumed = new Map<string, Millis>();
  readonly #dead = new Set<string>();
  /** When the rule of an agent last changed: the new one judges the whole silence, as if it had always been in force. */
  readonly #ruled = new Map<string, Millis>();
  /** Since when each agent on the roll has been silent, whatever happened to the watcher meanwhile. */
  readonly #silentSince = new Map<string, Millis>();
  readonly #debts = new Map<string, Debt>();
  /** The incidents of which each place has heard anything. */
  readonly #known = new Map<string, Set<string>>();

  constructor(ledger: Ledger, conditions: Conditions, wires: readonly Wire[], report: Report) {
    this.#ledger = ledger;
    this.#conditions = conditions;
    this.#wires = wires;
    this.#report = report;
    for (const { name } of wires) this.#known.set(name, new Set());
  }

  /** An operator asked for it; it counts for the watcher at the earliest now. */
  resumed(agent: string, now: Millis): void {
    this.#resumed.set(agent, now);
    this.#silentSince.set(agent, now);
  }

  /** Before the commit is folded in. `arrival` is when a beat reached the watcher. */
  before(changes: Changes, moment: Moment, arrival: (beat: string) => Millis | undefined): void {
    for (const { id, rule } of changes.agents ?? []) {
      const known = this.#ledger.members.get(id);
      if (known !== undefined && !sameRule(rule, known.agent.rule)) this.#ruled.set(id, moment.at);
    }
    for (const flip of changes.flips ?? []) {
      const member = this.#ledger.members.get(flip.agent);
      const was = member === undefined ? undefined : severityOf(member.state);
      // Where its incident is open, it was told, or is owed already: that we could not tell for a while is no news.
      const begins = this.#ledger.openOf(flip.agent) === undefined;
      if (severityOf(flip.to) !== undefined && was === undefined && begins) {
        this.#debts.set(flip.agent, { owed: new Map(this.#wires.map(({ name }) => [name, 0])) });
      }
      if (flip.to !== "dead" && flip.to !== "paused" && flip.to !== "unknown") this.#dead.delete(flip.agent);
      const { rule } = changes.agents?.find(({ id }) => id === flip.agent) ?? member?.agent ?? {};
      if (flip.to !== "dead" || rule === undefined || !isSilence(flip.reason)) continue;
      // Who was dead already and has not been heard since is dead, whatever happened meanwhile.
      if (this.#dead.has(flip.agent)) continue;
      this.#dead.add(flip.agent);
      const heard = Math.max(this.#heardItself.get(flip.agent) ?? 0, this.#resumed.get(flip.agent) ?? 0);
      // The watcher measures an outage to within a second.
      const long = Math.min(MINUTE, rule.grace / 2) + SECOND;
      const watched = this.#conditions.watched(
        ...([heard, moment.at, moment.breaks] as const),
        ({ from, to }) => to - from > long,
      );
      if (watched >= fairChance(rule) - TOLERANCE || (this.#ruled.get(flip.agent) ?? 0) > heard) continue;
      const [has, needs] = [watched, fairChance(rule)].map((length) => Math.round(length / SECOND));
      this.#report(
        4,
        `${flip.agent} is called dead (${flip.reason}) after ${has} s of watching, of ${needs} s`,
      );
    }
    for (const id of changes.removed ?? []) {
      this.#dead.delete(id);
      this.#silentSince.delete(id);
    }
    for (const { id } of changes.agents ?? [])
      if (!this.#silentSince.has(id)) this.#silentSince.set(id, moment.at);
    for (const beat of changes.beats ?? []) {
      this.#silentSince.set(beat.agent, moment.at);
      this.#heard.set(beat.agent, Math.max(moment.at, this.#heard.get(beat.agent) ?? 0));
      const at = arrival(beat.id) ?? 0;
      if (beat.spooled !== true) {
        this.#dead.delete(beat.agent);
        this.#heardItself.set(beat.agent, Math.max(at, this.#heardItself.get(beat.agent) ?? 0));
      }
    }
    for (const { id } of changes.agents ?? [])
      this.#heard.set(id, Math.max(moment.at, this.#heard.get(id) ?? 0));
  }

  /** A message that names these agents reached a place. */
  told(place: string, agents: readonly string[], incident: string | undefined): void {
    const known = this.#known.get(place);
    if (incident !== undefined) known?.add(incident);
    for (const agent of agents) {
      this.#debts.get(agent)?.owed.delete(place);
      const own = this.#ledger.openOf(agent);
      if (own !== undefined) known?.add(own.id);
    }
  }

  /** A minute is over. */
  minute(now: Millis, wall: number): void {
    const calm = this.#conditions.calmSince;
    for (const [id, { agent, state }] of this.#ledger.members) {
      // To say error is no excuse for falling silent.
      const known = severityOf(state) !== undefined && state !== "failing";
      if (agent.rule === undefined || isPaused(agent) || known) continue;
      const silentFor = now - Math.max(calm, this.#heard.get(id) ?? 0);
      const chance = fairChance(agent.rule);
      if (silentFor > chance + NOTICE + this.#conditions.mayBeLate(now, chance)) {
        this.#report(
          1,
          `${id} is ${state} although it has been silent for ${Math.round(silentFor / SECOND)} s`,
        );
      } else this.#mustBeNoticed(id, state, chance, now);
    }
    if (calm > now - MINUTE) return;
    for (const [agent, debt] of this.#debts) this.#collect(agent, debt, now, wall);
  }

  /** However often the watch was broken, twice the dead-after of watched silence is death. A clock that was set back hides some. */
  #mustBeNoticed(id: string, state: string, chance: Millis, now: Millis): void {
    const since = this.#silentSince.get(id) ?? now;
    if (now - since <= 2 * chance || now - this.#conditions.calmSince <= NOTICE) return;
    // Spans that were recorded by the clock from before it was set back lie in the time after it for as long.
    const { at, by } = this.#conditions.setBack;
    if (at + by >= since - MINUTE) return;
    const watched = this.#conditions.watchedAtLeast(since, now);
    if (watched <= 2 * chance + NOTICE) return;
    const [has, needs] = [watched, 2 * chance].map((length) => Math.round(length / SECOND));
    this.#report(20, `${id} is ${state} although its silence was watched for ${has} s, of ${needs} s`);
    this.#silentSince.set(id, now);
  }

  #collect(agent: string, { owed }: Debt, now: Millis, wall: number): void {
    const incident = this.#ledger.openOf(agent);
    if (incident === undefined || owed.size === 0) {
      this.#debts.delete(agent);
      return;
    }
    // A limit passes by itself: no route asks for it.
    if (incident.state === "limited") return;
    if (silencedUntil(this.#ledger.silences.values(), agent, wall - MINUTE) !== undefined) return;
    if (silencedUntil(this.#ledger.silences.values(), agent, wall) !== undefined) return;
    for (const { name, upSince } of this.#wires) {
      const before = owed.get(name);
      if (before === undefined || upSince === undefined || upSince > now - MINUTE) continue;
      // While it flaps, every turn is news that was told already; one that is well at the moment says nothing.
      const flaps = incident.flapping && this.#known.get(name)?.has(incident.id) === true;
      if (flaps) owed.delete(name);
      else if (incident.calmSince === undefined) owed.set(name, before + MINUTE);
      if (before + MINUTE <= TELL || flaps) continue;
      owed.delete(name);
      this.#report(1, `${name} was never told that ${agent} is ${incident.state} (incident ${incident.id})`);
    }
  }
}
