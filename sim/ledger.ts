import type { Agent } from "../src/core/agent.ts";
import type { Beat } from "../src/core/beat.ts";
import type { Delivery } from "../src/core/delivery/delivery.ts";
import { type Incident, isOpen } from "../src/core/incident/incident.ts";
import type { Silence } from "../src/core/incident/policy.ts";
import type { State } from "../src/core/liveness/state.ts";
import type { BlindSpan } from "../src/core/liveness/trust.ts";
import type { Changes } from "../src/ports/store.ts";

/** What the commits, one after the other, say of an agent. */
export interface Member {
  agent: Agent;
  state: State;
}

/** Everything that has been committed, folded again from the commits alone: what a replay of the log gives. */
export class Ledger {
  readonly members = new Map<string, Member>();
  /** The newest incident of each subject, by its kind and subject. */
  readonly incidents = new Map<string, Incident>();
  readonly #incidentIds = new Set<string>();
  readonly deliveries = new Map<string, Delivery>();
  readonly batches = new Map<string, Set<string>>();
  readonly silences = new Map<string, Silence>();
  /** As each was stored first. */
  readonly beats = new Map<string, Beat>();
  readonly blind: BlindSpan[] = [];

  incidentOf(agent: string): Incident | undefined {
    return this.incidents.get(`agent ${agent}`);
  }

  openOf(agent: string): Incident | undefined {
    const incident = this.incidentOf(agent);
    return incident !== undefined && isOpen(incident) ? incident : undefined;
  }

  /** Folds a commit in, and answers what in it cannot be. */
  apply(changes: Changes): string[] {
    const problems: string[] = [];
    for (const id of changes.removed ?? []) this.members.delete(id);
    for (const agent of changes.agents ?? []) {
      const member = this.members.get(agent.id);
      if (member === undefined) this.members.set(agent.id, { agent, state: "new" });
      else member.agent = agent;
    }
    for (const beat of changes.beats ?? []) if (!this.beats.has(beat.id)) this.beats.set(beat.id, beat);
    for (const flip of changes.flips ?? []) {
      const member = this.members.get(flip.agent);
      if (member === undefined) {
        problems.push(`${flip.agent} flips to ${flip.to}, but is not on the roll`);
        continue;
      }
      if (member.state !== flip.from)
        problems.push(`${flip.agent} flips from ${flip.from}, but the log says ${member.state}`);
      member.state = flip.to;
    }
    for (const { agent, standing } of changes.entries ?? []) {
      const state = this.members.get(agent)?.state;
      if (state !== standing.verdict.state)
        problems.push(`${agent} is written as ${standing.verdict.state}, but the log says ${state}`);
    }
    for (const span of changes.blind ?? []) this.blind.push(span);
    for (const { kind, body } of changes.records ?? [])
      if (kind === "silence") this.silences.set(body.id, body);
    for (const delivery of changes.deliveries ?? []) this.#delivery(delivery, problems);
    for (const { incident } of changes.incidents ?? []) this.#incident(incident, problems);
    return problems;
  }

  #incident(incident: Incident, problems: string[]): void {
    const key = `${incident.kind} ${incident.subject}`;
    const before = this.incidents.get(key);
    // What is added to an earlier one, such as the issue that was filed late, makes it no newer.
    if (before !== undefined && before.id !== incident.id && this.#incidentIds.has(incident.id)) return;
    this.#incidentIds.add(incident.id);
    if (before !== undefined && before.id !== incident.id && isOpen(before))
      problems.push(`incident ${before.id} was open when ${incident.id} took its place`);
    this.incidents.set(key, incident);
  }

  #delivery(body: Delivery, problems: string[]): void {
    const before = this.deliveries.get(body.key);
    if (before !== undefined && before.createdAt !== body.createdAt)
      problems.push(`the key ${body.key} was used for two messages`);
    this.deliveries.set(body.key, body);
    if (body.batch === undefined) return;
    const rows = this.batches.get(body.batch);
    if (rows === undefined) this.batches.set(body.batch, new Set([body.key]));
    else rows.add(body.key);
  }
}
