import type { Asks } from "./asks.ts";
import type { Instant } from "./duration.ts";

/** One life of a process. A pid alone identifies nothing: it is used again, also across boots. */
export interface Incarnation {
  readonly pid: number;
  /** The process's start in the kernel's own ticks since boot, as text: it is only ever compared. */
  readonly startTime: string;
  readonly bootId: string;
}

/** Who sent a beat: the agent itself (it makes progress), or something around it (it exists). */
export type BeatSource = "agent" | "wrapper";
export type BeatStatus = "ok" | "error";

/** How a cycle ended: in good order, with an error of its own, by itself without an end, or by us. */
export type CycleOutcome = "ok" | "error" | "crashed" | "killed";

/** What an agent may say of itself in a beat (docs/liveness-protocol.md). */
export const SAID_STATES = ["working", "waiting", "limited", "idle", "done"] as const;
export type SaidState = (typeof SAID_STATES)[number];

/** One sign of life that an agent sends. */
export interface Beat {
  /** A UUIDv7. A beat that arrives twice carries the same one and is recorded once. */
  readonly id: string;
  readonly agent: string;
  readonly source: BeatSource;
  readonly status: BeatStatus;
  readonly host?: string;
  readonly incarnation?: Incarnation;
  readonly cycle?: number;
  /** Set where this beat begins or ends its cycle; without an outcome its status tells how it ended. */
  readonly cycleEvent?: "begun" | "ended";
  readonly outcome?: CycleOutcome;
  readonly action?: string;
  readonly message?: string;
  /** What the agent says of itself, what a person is asked, and until when that lasts. */
  readonly state?: SaidState;
  readonly asks?: Asks;
  readonly until?: Instant;
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
  /** True if it waited in the spool: then it may be much older than its arrival. */
  readonly spooled?: boolean;
  /** True if nothing showed that its sender belongs to the fleet: it came over TCP on this machine, without a token. */
  readonly unproven?: true;
}

/**
 * The moment from which deadlines count. What we received ourselves counts from its arrival, because the
 * sender's clock may be wrong; what waited in the spool counts from the earlier of both.
 */
export function beatAt(beat: Beat): Instant {
  return beat.spooled === true ? Math.min(beat.sentAt, beat.receivedAt) : beat.receivedAt;
}

export function sameIncarnation(a: Incarnation | undefined, b: Incarnation | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}
