import { type Instant, type Millis, SECOND } from "../duration.ts";
import type { HostKind } from "../host-kind.ts";
import type { BlindSpan } from "../liveness/trust.ts";
import type { ClockOffset } from "./clock-offset.ts";

/** A host as its hub keeps it. */
export interface KnownHost {
  readonly name: string;
  readonly kind: HostKind;
  readonly joinedAt: Instant;
  /** The token that it speaks with. */
  readonly token: string;
  /** Which machine joined under this name. */
  readonly machine: string;
  readonly version: string;
  /** The spool that `acked` counts in; a wiped or restored host has another one. */
  readonly spool?: string;
  /** The number of the last fact that is stored here. */
  readonly acked: number;
  readonly boot?: string;
  readonly offset?: ClockOffset;
  /** How many facts wait on the host, and how many it had to drop, as it told us. */
  readonly backlog?: number;
  readonly dropped?: number;
  /** The newest spans that it did not watch. */
  readonly blind?: readonly BlindSpan[];
  /** It said goodbye: silence is no news until it is heard again. */
  readonly leftAt?: Instant;
  readonly revokedAt?: Instant;
  /** It did not leave: it has this name now. */
  readonly renamedTo?: string;
  /** Of ephemeral hosts: how long it stays on the roll without a word. */
  readonly ttl?: Millis;
  /** The group of all its agents, by the fleet key that it joined with. */
  readonly group?: string;
}

/** A host says something this often, also if it has nothing to tell. */
export const MARK_EVERY: Millis = 15 * SECOND;
/** What a host promises its hub: silence beyond this is loss of contact. */
export const CONTACT_RULE = { every: 30 * SECOND, grace: 30 * SECOND } as const;

/** A code with which one host may join, or a key with which many may. The code itself is nowhere. */
export interface Invite {
  readonly id: string;
  /** SHA-256 of the code. */
  readonly hash: string;
  /** The host's name; a fleet key gives each its own. */
  readonly name: string;
  readonly kind: HostKind;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly usedAt?: Instant;
  /** Of a fleet key: any number of ephemeral hosts may join, in this group, for so long without a word. */
  readonly fleet?: { readonly group: string; readonly ttl: Millis };
  readonly revokedAt?: Instant;
}
