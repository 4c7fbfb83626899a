import type { Beat } from "../core/beat.ts";
import type { Instant, Millis } from "../core/duration.ts";
import type { HostBatch } from "../core/host/batch.ts";

/** How far the facts of a host are stored, be it here or at the owner. */
export interface HostNumber {
  readonly host: string;
  readonly spool: string;
  readonly acked: number;
}

/** A host as the last owner left it, with the hash of its token's secret. */
export interface StoredHost extends HostNumber {
  readonly hash: string;
  readonly boot: string;
  readonly version: string;
}

/** A sign of life of a host that a hub took. */
export interface HostMark {
  readonly host: string;
  /** How long before it was put into the inbox. */
  readonly ago: Millis;
  /** The host's own clock at that moment. */
  readonly wall: Instant;
  readonly backlog: number;
}

/** What a hub took for the owner. */
export interface InboxEntry {
  readonly beats: readonly Beat[];
  /** At most one of each host. One is kept only if it goes on where the host's facts end. */
  readonly batches: readonly HostBatch[];
  readonly marks: readonly HostMark[];
}

export interface InboxPut extends InboxEntry {
  /** What the owner has told of hosts: their next batches go on from there. */
  readonly learnt: readonly HostNumber[];
  /** What `access` was when the owner let the senders in. */
  readonly access: number;
}

export interface InboxRow extends InboxEntry {
  readonly number: number;
  /** How long ago it was put there, by the store's clock. */
  readonly age: Millis;
}

/**
 * Where hubs that do not own the store keep what they took, until the owner hears it. Rows are numbered in the order in which
 * they were committed, so the owner reads on from a number and misses none.
 */
export interface Inbox {
  /** Another one for each database: a number of one says nothing of another. */
  id(): Promise<string>;
  /**
   * Resolves when it is durable, with the hosts whose batches were kept. Undefined if `access` has changed: then nothing was
   * kept, and the owner must say anew who may send.
   */
  put(put: InboxPut): Promise<ReadonlySet<string> | undefined>;
  access(): Promise<number>;
  /** What is stored of the host that speaks with this token, if neither was revoked. */
  hostOf(token: string): Promise<StoredHost | undefined>;
  /** Those of these hosts whose number is another one by now. */
  stale(known: readonly HostNumber[]): Promise<readonly string[]>;
  after(number: number, limit: number): Promise<readonly InboxRow[]>;
  /** Forgets rows up to this number, if the owner's commit that heard them is stored. */
  done(upTo: number): Promise<void>;
  /** The next batches of these hosts must go to the owner. */
  forget(hosts: readonly string[]): Promise<void>;
  /** From now on the owner must say anew who may send. */
  changeAccess(): Promise<void>;
  close(): Promise<void>;
}
