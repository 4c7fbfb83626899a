import { MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import { hostAgent } from "../../src/core/host/fact.ts";
import type { HostKind } from "../../src/core/host-kind.ts";
import { type Incident, isOpen } from "../../src/core/incident/incident.ts";
import { quorum } from "../../src/core/incident/mass.ts";
import { HOLD } from "../../src/core/incident/policy.ts";
import type { Changes } from "../../src/ports/store.ts";
import type { Conditions } from "../conditions.ts";
import type { Report } from "../violation.ts";
import type { HubLedger } from "./hub-ledger.ts";
import { HUB_PACE } from "./sim-hub.ts";

/** Silence of so long is loss of contact, and is noticed so soon after. */
const CONTACT: Millis = MINUTE;
/** A sign of life is saved within this, by the hub's pace: a hub that dies before that has not heard it. */
const UNSAVED: Millis = HUB_PACE.mark + 10 * SECOND;
const NOTICED: Millis = 3 * MINUTE;
/** Silences no further apart than this have one cause. */
const AT_ONCE: Millis = HOLD + 3 * MINUTE;

/** Whether loss of contact is noticed, is not invented, and is told as it should be. */
export class ContactCheck {
  readonly #report: Report;
  readonly #ledger: HubLedger;
  readonly #hub: Conditions;
  readonly #kinds: ReadonlyMap<string, HostKind>;
  readonly #heardAt = new Map<string, Millis>();
  /** The last signs of life of each host. */
  readonly #signs = new Map<string, readonly Millis[]>();
  readonly #lost = new Set<string>();

  constructor(report: Report, ledger: HubLedger, hub: Conditions, kinds: ReadonlyMap<string, HostKind>) {
    this.#report = report;
    this.#ledger = ledger;
    this.#hub = hub;
    this.#kinds = kinds;
  }

  /** A batch of it was taken. */
  heard(host: string, now: Millis): void {
    if (now <= (this.#heardAt.get(host) ?? 0)) return;
    this.#heardAt.set(host, now);
    this.#signs.set(host, [...(this.#signs.get(host) ?? []).slice(-9), now]);
  }

  /** When the hub last heard a host, as far as it remembers: a hub that died may not have saved the last signs. */
  #remembers(host: string): Millis {
    const isSaved = (sign: Millis) =>
      !this.#hub.breaks.some(({ from }) => from >= sign && from - sign < UNSAVED);
    return this.#signs.get(host)?.findLast(isSaved) ?? 0;
  }

  /** Begins anew: the hub's commits are told again. */
  clear(): void {
    this.#lost.clear();
  }

  /** Before the ledger knows of it. */
  committed({ flips = [], incidents = [], deliveries = [], removed = [] }: Changes, decidedAt: Millis): void {
    for (const agent of removed) this.#lost.delete(agent);
    for (const { agent, to, reason } of flips) {
      const host = this.#hostOf(agent);
      if (host === undefined) continue;
      if (reason === "host-out-of-contact") this.#lost.add(agent);
      else this.#lost.delete(agent);
      if (to === "dead") this.#report(23, `${agent} is dead without contact`);
      const silent = decidedAt - this.#remembers(host);
      if (reason === "host-out-of-contact" && silent < CONTACT - SECOND)
        this.#report(27, `${agent} is out of contact, but was heard ${Math.round(silent / SECOND)} s before`);
    }
    for (const { incident } of incidents) this.#incident(incident);
    for (const { about, says } of deliveries) {
      const host = this.#hostOf(about);
      if (host !== undefined && says === "opened")
        this.#alone(
          about,
          incidents.map((each) => each.incident),
        );
    }
  }

  minute(now: Millis): void {
    for (const [host, heardAt] of this.#heardAt) {
      const { revokedAt } = this.#ledger.hosts.get(host) ?? {};
      const since = Math.max(heardAt, this.#hub.calmSince);
      if (revokedAt !== undefined || now - since < CONTACT + NOTICED) continue;
      if (!this.#lost.has(hostAgent(host))) this.#report(23, `${host} is silent, and the hub did not notice`);
    }
  }

  #hostOf(agent: string): string | undefined {
    const host = agent.startsWith("rollcall@") ? agent.slice(9) : undefined;
    return host !== undefined && this.#kinds.has(host) ? host : undefined;
  }

  #incident({ kind, subject, reason }: Incident): void {
    if (kind !== "agent") return;
    const host = this.#hostOf(subject);
    if (host === undefined) {
      if (reason === "host-out-of-contact")
        this.#report(23, `${subject} has an incident of its own for its host`);
    } else if (this.#kinds.get(host) !== "server")
      this.#report(23, `${subject} is of a ${this.#kinds.get(host)}, and has an incident`);
  }

  /** A host is named alone only if few fell silent with it. */
  #alone(subject: string, changed: readonly Incident[]): void {
    const now = new Map(changed.map((incident) => [incident.subject, incident]));
    const before = [...this.#ledger.incidents.values()].filter(
      (each) => isOpen(each) && each.kind === "agent" && this.#hostOf(each.subject) !== undefined,
    );
    const own = before.find((each) => each.subject === subject) ?? now.get(subject);
    if (own === undefined) return;
    const held = before.filter(
      (each) =>
        Object.keys(each.told).length === 0 &&
        each.spokenForBy === undefined &&
        Math.abs(each.noticedAt - own.noticedAt) < AT_ONCE / 2 &&
        (now.get(each.subject) === undefined || isOpen(now.get(each.subject) as Incident)),
    );
    if (held.length >= quorum(this.#kinds.size))
      this.#report(23, `${subject} is told alone, but ${held.length} hosts fell silent at once`);
  }
}
