import type { Delivery } from "../src/core/delivery/delivery.ts";
import { isUnderWay } from "../src/core/delivery/delivery.ts";
import type { Receipt } from "../src/core/delivery/receipt.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import { type Incident, isOpen, isSilence } from "../src/core/incident/incident.ts";
import { quorum } from "../src/core/incident/mass.ts";
import type { Changes } from "../src/ports/store.ts";
import type { Conditions } from "./conditions.ts";
import { groupNameOf } from "./fleet.ts";
import type { Ledger } from "./ledger.ts";
import type { Report } from "./violation.ts";

const HOLD = 2 * MINUTE;

interface Row {
  arrivals: number;
  /** The life of the watcher that has been told that it was sent. */
  confirmedIn: number | undefined;
}

/** Invariants 2, 3, 5, 10 and 13: what reaches people, how often, and in which order. */
export class Messages {
  readonly #ledger: Ledger;
  readonly #conditions: Conditions;
  readonly #report: Report;
  readonly #rows = new Map<string, Row>();
  /** By place: whose trouble it has heard of and not of its end, and whom a group's message named. */
  readonly #heard = new Map<string, Set<string>>();
  /** When the sole messages about silent agents of a group were queued, and when each group's incident was. */
  readonly #alone = new Map<string, { agent: string; noticedAt: number }[]>();
  readonly #updates = new Map<string, number>();
  /** Since when each group's incident should have ended. */
  readonly #overdue = new Map<string, Millis>();

  constructor(ledger: Ledger, conditions: Conditions, report: Report) {
    this.#ledger = ledger;
    this.#conditions = conditions;
    this.#report = report;
  }

  /** An attempt begins: none may after one whose success this life knows, or the store. */
  sent(key: string, life: number): readonly string[] {
    const rows = [...(this.#ledger.batches.get(key) ?? [])];
    if (rows.length === 0) this.#report(10, `${key} is sent, but no row of the outbox was claimed for it`);
    for (const each of rows) {
      const { arrivals, confirmedIn } = this.#row(each);
      const state = this.#ledger.deliveries.get(each)?.state;
      if (confirmedIn === life || (state === "sent" && arrivals > 0))
        this.#report(3, `${each} is sent again although it is known to have arrived`);
    }
    return rows;
  }

  answered(rows: readonly string[], receipt: Receipt, life: number): void {
    if (receipt.outcome === "sent") for (const key of rows) this.#row(key).confirmedIn = life;
  }

  /** What arrived, as it was committed. */
  arrived(place: string, keys: readonly string[]): readonly Delivery[] {
    return keys.flatMap((key) => {
      const row = this.#row(key);
      row.arrivals += 1;
      const delivery = this.#ledger.deliveries.get(key);
      if (delivery === undefined) return [];
      if (row.arrivals === 1) this.#inOrder(place, delivery);
      return [delivery];
    });
  }

  #inOrder(place: string, { key, about, incident = "", says, message }: Delivery): void {
    const heard = this.#heard.get(place) ?? new Set();
    this.#heard.set(place, heard);
    if (says === "resolved" && !heard.has(about))
      this.#report(5, `${place} heard the end of ${incident} before its beginning (${key})`);
    if (says === "resolved") heard.delete(about);
    else heard.add(about);
    const members = message.data?.members;
    if (Array.isArray(members)) for (const member of members) heard.add(member);
  }

  /** After a commit was folded in. `steady`: the wall clock has not been set for a while. */
  committed({ deliveries = [] }: Changes, steady: boolean): void {
    for (const body of deliveries) {
      if (body.state === "sent" && this.#row(body.key).arrivals === 0)
        this.#report(10, `${body.key} is marked as sent, but never arrived`);
      if (!steady || body.state !== "pending" || body.attempts > 0 || body.batch !== undefined) continue;
      const incident = this.#incident(body);
      if (incident === undefined || body.message.data?.occasion === "resolved") continue;
      if (incident.kind === "group") this.#update(body, incident);
      else if (body.says === "opened" && isSilence(incident.reason)) this.#sole(body, incident);
    }
  }

  /** The same wall time may come twice. */
  clockSet(): void {
    this.#alone.clear();
    this.#updates.clear();
  }

  /** A mass event is one message: those who fell silent within the hold are never told one by one. */
  #sole({ to }: Delivery, { subject, noticedAt }: Incident): void {
    const group = this.#groupOf(subject);
    const key = `${to} ${group}`;
    const list = (this.#alone.get(key) ?? []).filter((each) => Math.abs(each.noticedAt - noticedAt) < HOLD);
    this.#alone.set(key, list);
    if (list.some(({ agent }) => agent === subject)) return;
    list.push({ agent: subject, noticedAt });
    let size = 0;
    for (const id of this.#ledger.members.keys()) if (this.#groupOf(id) === group) size += 1;
    if (list.length < quorum(size)) return;
    this.#report(13, `${list.length} of ${size} in ${group} fell silent at once and are told one by one`);
    this.#alone.delete(key);
  }

  /** An agent that lost its declaration before it was heard, and then registered itself, belongs to no group any more. */
  #groupOf(id: string): string {
    return this.#ledger.members.get(id)?.agent.group === undefined ? "default" : groupNameOf(id);
  }

  #update({ to, createdAt }: Delivery, { id }: Incident): void {
    const key = `${to} ${id}`;
    const before = this.#updates.get(key);
    this.#updates.set(key, createdAt);
    if (before !== undefined && createdAt > before && createdAt - before < HOLD - SECOND)
      this.#report(13, `updates of ${id} are ${createdAt - before} ms apart`);
  }

  /** A minute is over: no group's incident outlasts its end. */
  minute(now: Millis, wall: number): void {
    const calm = this.#conditions.calmSince;
    for (const incident of this.#ledger.incidents.values()) {
      if (incident.kind !== "group") continue;
      const { id, members = [], noticedAt } = incident;
      const silent = members.filter((each) => this.#ledger.openOf(each)?.spokenForBy === id).length;
      const ends = 2 * (members.length - silent) >= members.length || wall - noticedAt > 2 * HOUR;
      if (!isOpen(incident) || !ends) this.#overdue.delete(id);
      else {
        const since = Math.max(calm, this.#overdue.get(id) ?? now);
        this.#overdue.set(id, this.#overdue.get(id) ?? now);
        if (now - since <= 3 * MINUTE) continue;
        this.#overdue.set(id, now);
        this.#report(
          13,
          `the group's incident ${id} does not end: ${silent} of ${members.length} are silent`,
        );
      }
    }
  }

  /** At the end, after a calm while: nothing lies about that could have been sent. */
  end(now: Millis, wall: number, isUp: (place: string) => boolean): void {
    if (this.#conditions.calmSince > now - 15 * MINUTE) return;
    for (const delivery of this.#ledger.deliveries.values()) {
      const { key, state, createdAt } = delivery;
      if (isUnderWay(delivery) && isUp(delivery.to) && Math.abs(wall - createdAt) > 15 * MINUTE)
        this.#report(10, `${key} has been ${state} since ${Math.round((wall - createdAt) / MINUTE)} minutes`);
      if (state === "refused" || state === "expired") this.#report(10, `${key} was ${state}`);
    }
  }

  #incident({ incident, about }: Delivery): Incident | undefined {
    for (const kind of ["agent", "group"]) {
      const found = this.#ledger.incidents.get(`${kind} ${about}`);
      if (found?.id === incident) return found;
    }
    return undefined;
  }

  #row(key: string): Row {
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { arrivals: 0, confirmedIn: undefined };
      this.#rows.set(key, row);
    }
    return row;
  }
}
