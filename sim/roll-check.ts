import { type Agent, isPaused } from "../src/core/agent.ts";
import { type Beat, beatAt } from "../src/core/beat.ts";
import { type Incident, isOpen, isWell, severityOf } from "../src/core/incident/incident.ts";
import { sameRule } from "../src/core/schedule/rule.ts";
import type { Changes } from "../src/ports/store.ts";
import type { Watcher } from "../src/watch/watcher.ts";
import type { Ledger } from "./ledger.ts";
import type { Report } from "./violation.ts";

/** Invariants 7, 8, 9 and 11: what was acknowledged is there, and the roll, the log and the incidents agree. */
export class RollCheck {
  readonly #ledger: Ledger;
  readonly #report: Report;
  /** The newest beat of each agent that was acknowledged. */
  readonly #acknowledged = new Map<string, Beat>();

  constructor(ledger: Ledger, report: Report) {
    this.#ledger = ledger;
    this.#report = report;
  }

  /** Its sender has been told that a beat is safe. */
  acknowledged({ id, agent }: Beat, watcher: Watcher, wall: number): void {
    // A repetition says nothing new: what counts is how it was stored first.
    const beat = this.#ledger.beats.get(id);
    if (beat === undefined) {
      this.#report(7, `beat ${id} of ${agent} was acknowledged, but is not in the store`);
      return;
    }
    if (beatAt(beat) > wall) return;
    const before = this.#acknowledged.get(agent);
    if (before === undefined || beatAt(beat) >= beatAt(before) || beatAt(before) > wall)
      this.#acknowledged.set(agent, beat);
    this.#notBack(agent, watcher, wall, 8);
  }

  /** The clock was set back: what lies in the future is not believed any more, and nothing is later than it. */
  setBack(wall: number): void {
    for (const [agent, beat] of this.#acknowledged) if (beatAt(beat) > wall) this.forget(agent);
  }

  /** Whoever was taken off the roll begins anew. */
  forget(agent: string): void {
    this.#acknowledged.delete(agent);
  }

  /** A watcher has loaded what there is. */
  loaded(watcher: Watcher, wall: number, declared: readonly Agent[]): void {
    for (const { id, rule } of declared) {
      const found = watcher.reader.place(id)?.agent;
      if (found?.origin !== "config" || !sameRule(found.rule, rule))
        this.#report(11, `the config's rule of ${id} is not in force after a restart`);
    }
    for (const agent of this.#acknowledged.keys()) this.#notBack(agent, watcher, wall, 7);
    for (const { agent, entry } of watcher.reader.places()) {
      const state = this.#ledger.members.get(agent.id)?.state;
      if (state !== entry.standing.verdict.state)
        this.#report(
          11,
          `${agent.id} is ${entry.standing.verdict.state} after a restart; the log says ${state}`,
        );
    }
  }

  #notBack(agent: string, watcher: Watcher, wall: number, invariant: number): void {
    const newest = this.#acknowledged.get(agent);
    const place = watcher.reader.place(agent);
    // A stamp from the future is not believed, and does not stand in the way of others.
    if (newest === undefined || beatAt(newest) > wall || place === undefined) return;
    const { lastBeat } = place.entry;
    // A copy of the same beat that waited in a spool counts from when it was sent, a moment before it arrived.
    if (lastBeat?.id === newest.id) return;
    if (lastBeat !== undefined && (beatAt(lastBeat) >= beatAt(newest) || beatAt(lastBeat) > wall)) return;
    const [has, had] = [lastBeat, newest].map((each) => (each === undefined ? "never" : beatAt(each)));
    this.#report(invariant, `${agent} was last seen at ${has}, but a beat of ${had} was acknowledged`);
  }

  /** After a commit was folded in; `before` tells the incidents as they were. */
  committed(changes: Changes, before: ReadonlyMap<string, Incident>): void {
    for (const id of changes.removed ?? []) {
      this.forget(id);
      if (!this.#ledger.members.has(id) && this.#ledger.openOf(id) !== undefined)
        this.#report(9, `${id} was removed, and its incident is still open`);
    }
    for (const { agent } of changes.flips ?? []) this.#agrees(agent);
    for (const { incident: body } of changes.incidents ?? []) {
      if (body.kind === "agent") this.#agrees(body.subject);
      const was = before.get(body.id);
      if (was !== undefined && isOpen(was) && !isOpen(body)) this.#ended(was, body, changes);
    }
  }

  /** Whoever was told that it began must be told that it is over, now or when a silence ends. */
  #ended(was: Incident, body: Incident, { deliveries = [] }: Changes): void {
    if (was.spokenForBy !== undefined || body.spokenForBy !== undefined) return;
    for (const place of Object.keys(was.told)) {
      const tells = deliveries.some(
        ({ to, incident, says }) => to === place && incident === body.id && says === "resolved",
      );
      if (!tells && body.told[place] === undefined)
        this.#report(9, `${place} was told of ${body.id}, and not that it ended (${body.resolved?.how})`);
    }
  }

  #agrees(id: string): void {
    const member = this.#ledger.members.get(id);
    if (member === undefined) return;
    const incident = this.#ledger.incidentOf(id);
    const open = this.#ledger.openOf(id);
    const { state } = member;
    if (severityOf(state) !== undefined) {
      if (incident?.resolved?.how === "by-hand" || open?.state === state) return;
      this.#report(
        11,
        `${id} is ${state}, and its incident ${incident?.id} is ${incident?.resolved?.how ?? open?.state}`,
      );
    } else if (open !== undefined && (isWell(state) || isPaused(member.agent))) {
      if (open.calmSince === undefined) this.#report(11, `${id} is ${state}, and ${open.id} is still open`);
    }
  }
}
