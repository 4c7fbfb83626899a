import { type Millis, SECOND } from "../../src/core/duration.ts";
import type { Ownership } from "../../src/ports/hubs.ts";
import type { Changes, Snapshot, Store } from "../../src/ports/store.ts";
import { memoryStore } from "../../src/store/memory/memory.ts";
import { MemoryInbox } from "../../test/memory-inbox.ts";
import type { Time } from "../time.ts";
import type { HubsMutant } from "./mutants.ts";

/** How the server is: it answers, refuses connections, or says nothing. */
export type EngineState = "well" | "refusing" | "hanging";

/** A commit as the server has it. */
export interface Kept {
  readonly number: number;
  readonly epoch: number;
  readonly hub: string;
  readonly changes: Changes;
  readonly at: Millis;
}

/** Who asks, with the clock of its machine. */
export interface Asking {
  readonly hub: string;
  readonly wall: () => number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** The row of `partitions`, in the words of PostgreSQL. */
const FREE = {
  ...{ owner: "", session: "", epoch: 0, no: 0, locked: 0, expires: NEVER, seen: NEVER },
  ...{ markOwner: "", marked: NEVER },
};

interface Past {
  readonly at: Millis;
  readonly commits: number;
  readonly row: typeof FREE;
  readonly inbox: MemoryInbox["state"];
}

/**
 * A server as hubs see it: one row that decides who may commit, the commits, and the inbox. It keeps what it has answered,
 * until it fails over to a standby that lacks a tail.
 */
export class Engine {
  state: EngineState = "well";
  row = { ...FREE };
  readonly log: Kept[] = [];
  store: Store = memoryStore((value) => value);
  readonly inbox: MemoryInbox;
  /** The session that holds the lock of the owner; it dies with it. */
  lockedBy: object | undefined;
  /** Moments from which a standby could begin: what it would have. */
  readonly #past: Past[] = [];
  readonly #time: Time;
  readonly #mutant: HubsMutant;
  /** Told of each commit before it counts. */
  onCommit: (kept: Kept) => void = () => {};
  onClaim: (by: Asking, from: typeof FREE) => void = () => {};

  constructor(time: Time, mutant: HubsMutant) {
    this.#time = time;
    this.#mutant = mutant;
    this.inbox = new MemoryInbox(
      () => time.now,
      async () => (await this.store.records.one("inbox", "memory"))?.body.number ?? 0,
    );
  }

  /** Whose clock decides when a lease ends: the server's own. */
  #now({ wall }: Asking): Millis {
    return this.#mutant.leaseOnHubsClock === true ? wall() : this.#time.now;
  }

  take(by: Asking, session: string, lease: Millis, condition: string, lock: object) {
    const { row } = this;
    const from = /epoch = (\d+)/.exec(condition)?.[1];
    const isFree = row.expires <= this.#now(by);
    const may =
      condition === "session = $3"
        ? row.session === session
        : row.owner === by.hub || isFree || row.epoch === Number(from ?? -1);
    if (!may) return undefined;
    if (row.session !== session) this.onClaim(by, { ...row });
    if (this.lockedBy === undefined || this.lockedBy === lock) this.lockedBy = lock;
    const epoch = row.epoch + 1;
    const locked = this.lockedBy === lock ? epoch : row.locked;
    this.row = { ...row, owner: by.hub, session, epoch, locked, expires: this.#now(by) + lease };
    return [epoch, row.no, locked === epoch];
  }

  renew(by: Asking, epoch: number, lease: Millis, lock: object) {
    if (this.row.epoch !== epoch) return undefined;
    this.lockedBy ??= lock;
    const locked = this.lockedBy === lock ? epoch : this.row.locked;
    this.row = { ...this.row, locked, expires: this.#now(by) + lease, seen: this.#time.now };
    return [locked === epoch];
  }

  release(session: string): void {
    if (this.row.session === session) this.row = { ...this.row, expires: NEVER, session: "" };
  }

  /** The fence is a part of the statement: whoever reads it first and writes later is too late. */
  isFenced(epoch: number, number: number): boolean {
    if (this.#mutant.noFence === true) return false;
    return this.row.epoch !== epoch || this.row.no !== number - 1;
  }

  async commit(by: Asking, epoch: number, number: number, lease: Millis, changes: Changes): Promise<boolean> {
    if (this.#mutant.readsTheFence !== true && this.isFenced(epoch, number)) return false;
    const kept: Kept = { number, epoch, hub: by.hub, changes, at: this.#time.now };
    this.onCommit(kept);
    this.log.push(kept);
    const mark = changes.mark === undefined ? {} : { markOwner: by.hub, marked: this.#time.now };
    const expires = this.#now(by) + lease;
    this.row = { ...this.row, no: number, seen: this.#time.now, expires, ...mark };
    await this.store.commit(changes);
    this.#past.push({ at: this.#time.now, commits: this.log.length, row: this.row, inbox: this.inbox.state });
    return true;
  }

  ownership(): Ownership {
    const { owner, epoch, expires, locked } = this.row;
    const isOrphaned = locked === epoch && this.lockedBy === undefined;
    return { owner, epoch, isFree: expires <= this.#time.now, isOrphaned };
  }

  async load(hub: string): Promise<Snapshot> {
    const { mark, ...snapshot } = await this.store.load();
    if (mark === undefined) return snapshot;
    const { markOwner, marked, seen } = this.row;
    const { now } = this.#time;
    if (markOwner === hub) return { ...snapshot, mark };
    const takenOver = { written: now - marked, seen: now - Math.max(seen, marked) };
    return { ...snapshot, mark: { ...mark, takenOver } };
  }

  /** A standby is promoted that lacks what was committed within this time. Answers when that began. */
  async failOver(behind: Millis): Promise<Millis> {
    const then = this.#time.now - behind;
    const kept = this.#past.findLast(({ at }) => at <= then);
    this.log.length = kept?.commits ?? 0;
    this.#past.length = this.#past.findLastIndex(({ at }) => at <= then) + 1;
    this.inbox.state = kept?.inbox ?? { number: 0, access: 0, rows: [], hosts: new Map() };
    this.store = memoryStore((value) => value);
    for (const { changes } of this.log) await this.store.commit(changes);
    this.row = { ...(kept?.row ?? FREE) };
    this.lockedBy = undefined;
    return kept?.at ?? 0;
  }
}

export const LEASE: Millis = 10 * SECOND;
