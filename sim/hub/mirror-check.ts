import type { HostBatch } from "../../src/core/host/batch.ts";
import { type HostFact, hubName } from "../../src/core/host/fact.ts";
import type { KnownHost } from "../../src/core/host/host.ts";
import type { State } from "../../src/core/liveness/state.ts";
import type { Flip } from "../../src/core/liveness/verdict.ts";
import type { Changes } from "../../src/ports/store.ts";
import type { Report } from "../violation.ts";

/** What the hub must believe of an agent: its host's last word, or that nobody knows. */
interface Word {
  state: State;
  lost: boolean;
}

/**
 * Whether the hub's roll is what its hosts told, up to the number that is stored with it: commit by commit, each fact once and in
 * its order, and nothing else.
 */
export class MirrorCheck {
  readonly #report: Report;
  readonly #hosts = new Map<string, Pick<KnownHost, "spool" | "acked">>();
  readonly #words = new Map<string, Map<string, Word>>();
  /** What reached the hub and has no answer yet, in the order in which it takes them. */
  readonly #batches = new Set<HostBatch>();
  /** What each commit took of hosts. */
  readonly #heard = new WeakMap<Changes, Map<string, readonly HostFact[]>>();
  /** Of each spool: what its numbers mean. */
  readonly #numbers = new Map<string, HostFact>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** Begins anew: the hub's commits are told again. */
  clear(): void {
    this.#hosts.clear();
    this.#words.clear();
  }

  /** The number that is surely stored for a host. */
  ackedOf(host: string): number {
    return this.#hosts.get(host)?.acked ?? 0;
  }

  reached(batch: HostBatch): void {
    const { spool, facts } = batch;
    for (const { seq, fact } of facts) {
      const key = `${spool} ${seq}`;
      const known = this.#numbers.get(key);
      if (known === undefined) this.#numbers.set(key, fact);
      // What is gone is told again with another date.
      else if (fact.k !== "dropped" && JSON.stringify(known) !== JSON.stringify(fact))
        this.#report(21, `${key} is another fact than it was`);
    }
    this.#batches.add(batch);
  }

  answered(batch: HostBatch): void {
    this.#batches.delete(batch);
  }

  /** The hub's process is new: whatever it was asked before has no answer. */
  started(): void {
    this.#batches.clear();
  }

  /** What a commit of the hub says of its hosts. */
  committed(changes: Changes): void {
    const { records = [], flips = [] } = changes;
    const heard = this.#heard.get(changes) ?? new Map<string, readonly HostFact[]>();
    const isKnown = this.#heard.has(changes);
    this.#heard.set(changes, heard);
    for (const record of records) {
      if (record.kind !== "host") continue;
      const facts = this.#host(record.body, isKnown);
      if (!isKnown) heard.set(record.id, facts);
    }
    const byAgent = new Map<string, Flip[]>();
    for (const flip of flips) {
      const list = byAgent.get(flip.agent);
      if (list === undefined) byAgent.set(flip.agent, [flip]);
      else list.push(flip);
    }
    for (const [host, words] of this.#words) {
      const facts = heard.get(host) ?? [];
      const agents = new Set([...words.keys(), ...facts.flatMap(agentIn)]);
      for (const agent of agents) {
        const there = byAgent.get(hubName(agent, host)) ?? [];
        if (there.length > 0 || facts.length > 0) this.#agent(host, agent, words, facts, there);
      }
    }
  }

  /** `isKnown`: this commit is told again. */
  #host({ name, spool, acked, revokedAt }: KnownHost, isKnown: boolean): readonly HostFact[] {
    const before = this.#hosts.get(name);
    this.#hosts.set(name, { ...(spool === undefined ? {} : { spool }), acked });
    if (!this.#words.has(name)) this.#words.set(name, new Map());
    if (revokedAt !== undefined) {
      this.#words.delete(name);
      return [];
    }
    const from = before?.spool === spool ? (before?.acked ?? 0) : 0;
    if (acked < from) this.#report(22, `${name} went back from ${from} to ${acked}`);
    if (acked === from || isKnown) return [];
    for (const batch of this.#batches) {
      if (batch.spool !== spool || batch.from !== from) continue;
      const facts = batch.facts.filter(({ seq }) => seq <= acked);
      if (facts.at(-1)?.seq === acked) return facts.map(({ fact }) => fact);
    }
    this.#report(22, `${name} is at ${acked} after ${from}, and no batch was so`);
    return [];
  }

  #agent(
    host: string,
    agent: string,
    words: Map<string, Word>,
    facts: readonly HostFact[],
    flips: readonly Flip[],
  ): void {
    const known = words.get(agent) ?? { state: "new", lost: false };
    let { state } = known;
    const expected: State[] = [];
    let there = words.has(agent);
    for (const fact of facts) {
      const goes =
        (fact.k === "removed" && fact.agent === agent) ||
        (fact.k === "hello" && !fact.agents.includes(agent));
      if (goes) {
        there = false;
        state = "new";
      }
      if ((fact.k !== "entry" && fact.k !== "flip") || fact.entry.id !== agent) continue;
      there = true;
      if (fact.entry.state !== state) expected.push(fact.entry.state);
      state = fact.entry.state;
    }
    const found = flips.map(({ to }) => to);
    let lost = known.lost;
    // In contact again: what was known before counts first.
    if (lost && found.length > 0 && found[0] === known.state && flips[0]?.from === "unknown") {
      found.shift();
      lost = false;
    }
    if (facts.length > 0) lost = false;
    if (flips.at(-1)?.reason === "host-out-of-contact") {
      const to = found.pop();
      if (to !== "unknown") this.#report(23, `${hubName(agent, host)} is ${to} without contact`);
      lost = true;
    }
    if (found.join() !== expected.join())
      this.#report(
        22,
        `${hubName(agent, host)} flips to ${found.join() || "nothing"}; its host told ${expected.join() || "nothing"}`,
      );
    if (there) words.set(agent, { state, lost });
    else words.delete(agent);
  }
}

function agentIn(fact: HostFact): readonly string[] {
  return fact.k === "entry" || fact.k === "flip" ? [fact.entry.id] : [];
}
