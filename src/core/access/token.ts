import type { Instant } from "../duration.ts";

/** What a token lets its holder do: send beats or a client's hooks (and nothing else), read everything, or everything. */
export const SCOPES = ["beat", "read", "admin", "hook"] as const;
/** `host`: reports as one host, and may nothing else. Such a token is made when the host joins. */
export type Scope = (typeof SCOPES)[number] | "host";

/** A token as it is kept: never the secret itself. */
export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** The person who holds it: their name stands wherever it says who did something. */
  readonly person?: string;
  /** Whose beats it may send, where it is not everybody's. */
  readonly agent?: string;
  /** The host that it speaks for. */
  readonly host?: string;
  /** It is a part of a ping's address, not of a header. */
  readonly pingKey?: boolean;
  /** SHA-256 of the secret. */
  readonly hash: string;
  readonly createdAt: Instant;
  readonly revokedAt?: Instant;
}

/** A browser that signed in. Its id is the hash of what the cookie holds. */
export interface Session {
  readonly id: string;
  /** The token that it was opened with: revoked, it takes its sessions with it. */
  readonly token: string;
  readonly name: string;
  readonly scope: Scope;
  readonly person?: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly endedAt?: Instant;
}

/** A change that somebody made. */
export interface AuditEntry {
  readonly at: Instant;
  readonly who: string;
  readonly what: string;
  /** The address that it came from; absent for the command line without a watcher. */
  readonly from?: string;
}

/** What a request needs. */
export type Need = "nothing" | Scope;

/** What somebody may do. `local` showed no token and seems to be on this machine: that is no identity (ADR 13). */
export type Access = Scope | "local" | "nobody";

export function allows(standing: Access, need: Need): boolean {
  if (need === "nothing" || standing === need) return true;
  if (standing === "admin") return need !== "host";
  return standing === "local" && need === "beat";
}
