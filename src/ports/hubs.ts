import { type Instant, type Millis, SECOND } from "../core/duration.ts";

/** A hub that was not heard of for so long does not live. */
export const HUB_GONE_AFTER: Millis = 5 * SECOND;

/** One of the processes that share a store, as it tells the others of itself. */
export interface HubCard {
  /** The same after a restart. */
  readonly id: string;
  /** Where hosts and people reach it. */
  readonly url: string;
  /** Where the other hubs reach it. */
  readonly address: string;
  /** The certificate that it shows there, as PEM; without TLS none. */
  readonly certificate?: string | undefined;
  /** The hash of what it proves itself with. */
  readonly key: string;
  readonly version: string;
}

export interface KnownHub extends HubCard {
  readonly startedAt: Instant;
  /** How long ago it was heard of, by the store's clock. */
  readonly seen: Millis;
  /** How far its clock is ahead of the store's. */
  readonly clockAhead: Millis;
}

/** The hub that owns a store and was heard of lately. */
export type HubInCharge = Pick<HubCard, "id" | "url">;

/** Who has the right to write, and whether it still uses it. */
export interface Ownership {
  /** The id of the owner; empty if there never was one. */
  readonly owner: string;
  /** How often it changed hands. */
  readonly epoch: number;
  /** Nobody has it: it ran out, or was given back. */
  readonly isFree: boolean;
  /** The owner's session has ended: it may be gone, or on its way back. */
  readonly isOrphaned: boolean;
}

/** What hubs know of each other through the store that they share. */
export interface HubCircle {
  /** Tells the others that we are here; answers with all that were heard of lately. */
  greet(card: HubCard): Promise<readonly KnownHub[]>;
  ownership(): Promise<Ownership>;
  /** What all must know: the first one's value stays. */
  share(name: string, value: string): Promise<string>;
  leave(id: string): Promise<void>;
  close(): Promise<void>;
}
