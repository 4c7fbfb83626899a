import type { AuditEntry, Session, Token } from "../core/access/token.ts";
import type { ActionState, Run } from "../core/action/state.ts";
import type { Agent } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import type { Cycle } from "../core/cycle/cycle.ts";
import type { Delivery } from "../core/delivery/delivery.ts";
import type { Instant, Millis } from "../core/duration.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { Silence } from "../core/incident/policy.ts";
import type { Standing } from "../core/liveness/case.ts";
import type { Observation } from "../core/liveness/observation.ts";
import type { BlindSpan } from "../core/liveness/trust.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { Ping, PingRun } from "../core/ping/ping.ts";
import type { FiledIssue } from "../core/rca/filed-issue.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import type { Norm } from "../core/rhythm/norm.ts";
import type { Rhythm } from "../core/rhythm/rhythm.ts";

/** An agent's place on the roll: what we believe of it, and the facts that the next verdict starts from. */
export interface RollEntry {
  readonly agent: string;
  readonly standing: Standing;
  readonly observations: readonly Observation[];
  readonly lastBeat?: Beat | undefined;
  /** What is normal for it, learnt from its own gaps. */
  readonly rhythm?: Rhythm | undefined;
  /** What its signals need to go on after a restart, by signal. */
  readonly memories?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * What is kept whole under its kind and id: incidents, deliveries, runs and the like. One shape for all, because they
 * are read and written whole, and because a new kind then needs no new table.
 */
export type Kept<K extends Kind = Kind> = { readonly [Each in K]: KeptAs<Each> }[K];

interface KeptAs<K extends Kind> {
  readonly kind: K;
  readonly id: string;
  /** What it is sorted by, and what its age counts from. */
  readonly at: Instant;
  /** The agent, action or place that it is of. */
  readonly about: string;
  /** Something is still to be done about it: it is part of every snapshot, and is never pruned. */
  readonly open: boolean;
  readonly body: Kinds[K];
}

/** The kinds, and what is kept of each. */
export interface Kinds {
  readonly norm: Norm;
  readonly incident: Incident;
  readonly silence: Silence;
  readonly delivery: Delivery;
  readonly action: ActionState;
  readonly run: Run;
  readonly token: Token;
  readonly session: Session;
  readonly audit: AuditEntry;
  readonly ping: Ping;
  readonly "ping-run": PingRun;
  readonly recovery: Recovery;
  readonly issue: FiledIssue;
}

export type Kind = keyof Kinds;

/** A page of one kind. What is asked for is chosen before it is paged: a page is full if there is enough of it. */
export interface KeptPage extends Omit<Page, "skip"> {
  /** Only what comes after this one in the list; it stands in place of `before`. */
  readonly after?: { readonly at: Instant; readonly id: string };
  /** Only of this agent, action or place. */
  readonly about?: string;
  /** Only the open ones. */
  readonly open?: boolean;
  /** Only those whose id begins so. */
  readonly idPrefix?: string;
  /** Only those whose body has this text in a field; has the field (true), or does not have it (null). */
  readonly where?: Readonly<Record<string, string | true | null>>;
}

/** The watcher's own sign of life, saved every few seconds: after a restart it tells how long nobody watched. */
export interface WatchMark {
  readonly at: Instant;
  readonly uptime: Millis;
  readonly bootId: string;
}

/** Everything that belongs together: it is committed whole or not at all. */
export interface Changes {
  readonly agents?: readonly Agent[];
  /** Removed first: what the same commit adds is there. Their history stays until it is pruned. */
  readonly removed?: readonly string[];
  /** A beat that is already there (the same agent and id) changes nothing. */
  readonly beats?: readonly Beat[];
  readonly entries?: readonly RollEntry[];
  readonly flips?: readonly Flip[];
  /** Replaces the cycle with the same agent and number. */
  readonly cycles?: readonly Cycle[];
  readonly blind?: readonly BlindSpan[];
  /** Each replaces what has the same kind and id. */
  readonly kept?: readonly Kept[];
  readonly mark?: WatchMark | undefined;
  /** With this commit every entry and cycle is as new as the beats: none of them has to be heard again. */
  readonly settled?: boolean | undefined;
}

/** What a watcher starts from. */
export interface Snapshot {
  readonly agents: readonly Agent[];
  readonly entries: readonly RollEntry[];
  /** The newest spans that were not watched, oldest first. */
  readonly blind: readonly BlindSpan[];
  /** The newest cycle (the one that began last) of each agent in `agents`. */
  readonly cycles: readonly Cycle[];
  /** Everything that is kept and open. */
  readonly kept: readonly Kept[];
  readonly mark?: WatchMark;
  /** The beats that were recorded after the last settled commit, in the order in which they were. */
  readonly unsettled: readonly Beat[];
}

export interface Page {
  readonly limit: number;
  /** Only what is older than this. */
  readonly before?: Instant;
  /** Without so many of the first ones. */
  readonly skip?: number;
}

/**
 * Where the fleet's history lives. `commit` resolves only when everything is durable; after a crash either all
 * of a commit is there or nothing. Reading never changes anything.
 */
export interface Store {
  commit(changes: Changes): Promise<void>;
  load(): Promise<Snapshot>;
  /** Newest first: beats by their arrival, flips by their date, cycles by their begin; at equal times the last
   * committed first, of cycles the higher number. */
  beats(agent: string, page: Page): Promise<readonly Beat[]>;
  flips(agent: string, page: Page): Promise<readonly Flip[]>;
  /** The flips of these agents that are dated at `since` or later, of each the newest `most`; by agent, oldest first. */
  flipsSince(since: Instant, agents: readonly string[], most: number): Promise<readonly Flip[]>;
  cycles(agent: string, page: Page): Promise<readonly Cycle[]>;
  /** What is kept of a kind, newest first; at equal times by id, the greater first. */
  kept<K extends Kind>(kind: K, page: KeptPage): Promise<readonly Kept<K>[]>;
  one<K extends Kind>(kind: K, id: string): Promise<Kept<K> | undefined>;
  /**
   * Forgets what is older, by age: beats by their arrival, flips and blind spans by their date; with the
   * beats the cycles that were last heard of before, except the newest of each agent; with the flips what is kept
   * and no longer open.
   */
  prune(before: {
    readonly beats: Instant;
    readonly flips: Instant;
  }): Promise<{ beats: number; flips: number }>;
  close(): Promise<void>;
}

export type StoreProblem = "newer-schema" | "corrupt" | "full" | "read-only" | "busy" | "closed" | "failed";

/** What went wrong with the store, in a sentence that names the file and what to do. */
export class StoreError extends Error {
  readonly code: StoreProblem;

  constructor(code: StoreProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}
