// The inbox of hubs in memory, with the rules of the one on PostgreSQL.
import type { HostNumber, Inbox, InboxEntry, InboxPut, InboxRow } from "../src/ports/inbox.ts";

interface KeptRow extends InboxEntry {
  readonly number: number;
  readonly at: number;
}

/** What is in it, as a value: a simulated database takes it back to an earlier one when it loses its tail. */
export interface InboxState {
  readonly number: number;
  readonly access: number;
  readonly rows: readonly KeptRow[];
  readonly hosts: ReadonlyMap<string, HostNumber>;
}

export class MemoryInbox implements Inbox {
  state: InboxState = { number: 0, access: 0, rows: [], hosts: new Map() };
  readonly #now: () => number;
  /** The number that the owner's commits have heard. */
  readonly #heard: () => Promise<number>;

  constructor(now: () => number, heard: () => Promise<number>) {
    this.#now = now;
    this.#heard = heard;
  }

  async id(): Promise<string> {
    return "memory";
  }

  async put({ access, beats, batches, marks, learnt }: InboxPut): Promise<ReadonlySet<string> | undefined> {
    if (access !== this.state.access) return undefined;
    const hosts = new Map(this.state.hosts);
    const taken = batches.filter(({ host, spool, from, upTo = from }) => {
      const known = hosts.get(host);
      if (known?.spool !== spool || known.acked !== from) return false;
      hosts.set(host, { host, spool, acked: upTo });
      return true;
    });
    for (const each of learnt) {
      const known = hosts.get(each.host);
      if (known?.spool !== each.spool || known.acked < each.acked) hosts.set(each.host, each);
    }
    const number = this.state.number + 1;
    const row = structuredClone({ number, at: this.#now(), beats, batches: taken, marks });
    this.state = { ...this.state, number, hosts, rows: [...this.state.rows, row] };
    return new Set(taken.map(({ host }) => host));
  }

  async access(): Promise<number> {
    return this.state.access;
  }

  /** The tests that need it have a real database. */
  async hostOf(): Promise<undefined> {}

  async stale(known: readonly HostNumber[]): Promise<readonly string[]> {
    const isStale = ({ host, spool, acked }: HostNumber) => {
      const kept = this.state.hosts.get(host);
      return kept?.spool !== spool || kept.acked !== acked;
    };
    return known.filter(isStale).map(({ host }) => host);
  }

  async after(number: number, limit: number): Promise<readonly InboxRow[]> {
    const rows = this.state.rows.filter((row) => row.number > number).slice(0, limit);
    return rows.map(({ at, ...row }) => ({ ...row, age: this.#now() - at }));
  }

  async done(upTo: number): Promise<void> {
    const heard = Math.min(upTo, await this.#heard());
    this.state = { ...this.state, rows: this.state.rows.filter(({ number }) => number > heard) };
  }

  async forget(names: readonly string[]): Promise<void> {
    const hosts = new Map(this.state.hosts);
    for (const name of names) hosts.delete(name);
    this.state = { ...this.state, hosts };
  }

  async changeAccess(): Promise<void> {
    this.state = { ...this.state, access: this.state.access + 1 };
  }

  async close(): Promise<void> {}
}
