import type { Run } from "../core/action/state.ts";
import type { Agent } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import type { Cycle } from "../core/cycle/cycle.ts";
import type { Delivery } from "../core/delivery/delivery.ts";
import type { Instant, Millis } from "../core/duration.ts";
import type { HostFact, NumberedFact } from "../core/host/fact.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { Standing } from "../core/liveness/case.ts";
import type { Observation } from "../core/liveness/observation.ts";
import type { Cuts, StateTimes } from "../core/liveness/state-times.ts";
import type { BlindSpan } from "../core/liveness/trust.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { FiledIssue } from "../core/rca/filed-issue.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import type { Rhythm } from "../core/rhythm/rhythm.ts";
import type {
  DeliveryRepository,
  IncidentQuery,
  IssueQuery,
  Listing,
  RecordKind,
  RecordRepository,
  RecoveryQuery,
  Repository,
  RunQuery,
  StoredRecord,
} from "./repositories.ts";

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

/** An incident, and whether a watcher that starts needs it. */
export interface IncidentChange {
  readonly incident: Incident;
  /** It is open, was over recently, or somebody must still hear of its end. Every snapshot holds it; it is never pruned. */
  readonly ofInterest: boolean;
}

/** A recovery, and whether it counts against its agent's budget. */
export interface RecoveryChange {
  readonly recovery: Recovery;
  /** While it counts, every snapshot holds it, and it is never pruned. */
  readonly counts: boolean;
}

/** The watcher's own sign of life, saved every few seconds: after a restart it tells how long nobody watched. */
export interface WatchMark {
  readonly at: Instant;
  readonly uptime: Millis;
  readonly bootId: string;
}

/** The sign of life that a watcher finds when it starts. */
export interface LastMark extends WatchMark {
  /**
   * Set if another watcher left it, which may have had other clocks: how long ago it was written, and how long ago that
   * watcher was last heard of, both by the store's own clock.
   */
  readonly takenOver?: { readonly written: Millis; readonly seen: Millis };
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
  /** Each of the following replaces the one with the same id; of runs, with the same action and id. */
  readonly incidents?: readonly IncidentChange[];
  readonly deliveries?: readonly Delivery[];
  readonly recoveries?: readonly RecoveryChange[];
  readonly runs?: readonly Run[];
  readonly issues?: readonly FiledIssue[];
  /** Each replaces the one with the same kind and id. */
  readonly records?: readonly StoredRecord[];
  /** What the hub must be told of this commit, in its order. */
  readonly outgoing?: readonly HostFact[];
  readonly mark?: WatchMark | undefined;
  /** With this commit every entry and cycle is as new as the beats: none of them has to be heard again. */
  readonly flushed?: boolean | undefined;
}

/** The parts of a commit that others than the roll decide. */
export const PERSISTABLE = ["incidents", "deliveries", "recoveries", "runs", "issues", "records"] as const;
export type Persistable = Pick<Changes, (typeof PERSISTABLE)[number]>;

/** The ids that a commit changed, by kind. `agents` and `flips` name agents, `runs` names actions. */
export type Changed = Readonly<Partial<Record<ChangedKind, readonly string[]>>>;

type ChangedKind = "agents" | "removed" | "flips" | Exclude<keyof Persistable, "records"> | RecordKind;

/** Enough of a commit to read again what somebody shows. */
export interface Commit {
  readonly number: number;
  readonly changed: Changed;
}

/** What a watcher starts from. */
export interface Snapshot {
  /** The number of the last commit in it; 0 if there was none. */
  readonly number: number;
  readonly agents: readonly Agent[];
  readonly entries: readonly RollEntry[];
  /** The newest spans that were not watched, oldest first. */
  readonly blind: readonly BlindSpan[];
  /** The newest cycle (the one that began last) of each agent in `agents`. */
  readonly cycles: readonly Cycle[];
  /** The incidents that are of interest. */
  readonly incidents: readonly Incident[];
  /** The deliveries that are under way. */
  readonly deliveries: readonly Delivery[];
  /** The recoveries that count. */
  readonly recoveries: readonly Recovery[];
  /** The records that are current. */
  readonly records: readonly StoredRecord[];
  readonly mark?: LastMark;
  /** The beats that were recorded after the last flushed commit, in the order in which they were. */
  readonly unflushed: readonly Beat[];
}

/** What a roll of one agent starts from; of its records, the runs that pings began. */
export type AgentSnapshot = Pick<
  Snapshot,
  "agents" | "entries" | "blind" | "cycles" | "records" | "unflushed"
>;

/** The facts that wait for the hub, and those that it has acknowledged lately. */
export interface SpoolState {
  /** Made with the spool: a wiped or restored store has another one. Empty until the spool is first used. */
  readonly id: string;
  readonly facts: number;
  readonly bytes: number;
  readonly last: number;
  /** The number of the last fact that the hub has. */
  readonly acked: number;
  /** Up to this number facts that the hub had are not kept any more. */
  readonly forgotten: number;
}

export interface FactSpool {
  spool(): Promise<SpoolState>;
  /** Begins a new spool under this id: nothing of the old one is sent to another hub. */
  renew(id: string): Promise<void>;
  /** The facts after this number, oldest first; at least one if there is any, and at most so many bytes of them. */
  after(number: number, bytes: number): Promise<readonly NumberedFact[]>;
  /** Forgets facts up to this number that are older than `before`: a hub that lost its tail asks for them again. */
  forget(upTo: number, before: Instant): Promise<void>;
}

export interface HistoryPage {
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
  /** Answers with the commit's number: each is greater than those before it, also after a restart. */
  commit(changes: Changes): Promise<number>;
  load(): Promise<Snapshot>;
  /** The same of one agent, which takes no longer in a large fleet. */
  loadAgent(id: string): Promise<AgentSnapshot>;
  /** The mark of a snapshot alone, which takes no longer in a large fleet. */
  lastMark(): Promise<LastMark | undefined>;
  /** Newest first: beats by their arrival, flips by their date, cycles by their begin; at equal times the last
   * committed first, of cycles the higher number. */
  beats(agent: string, page: HistoryPage): Promise<readonly Beat[]>;
  flips(agent: string, page: HistoryPage): Promise<readonly Flip[]>;
  /** The flips of these agents that are dated at `since` or later, of each the newest `most`; by agent, oldest first. */
  flipsSince(since: Instant, agents: readonly string[], most: number): Promise<readonly Flip[]>;
  /** Of each of these agents how long it was in each state, part by part; undefined if no flip is dated within the span. */
  stateTimes(agents: readonly string[], cuts: Cuts): Promise<readonly (readonly StateTimes[] | undefined)[]>;
  /** How many beats of an agent arrived in each part of a span. */
  beatCounts(agent: string, cuts: Cuts): Promise<readonly number[]>;
  cycles(agent: string, page: HistoryPage): Promise<readonly Cycle[]>;
  readonly incidents: Repository<Incident, IncidentQuery>;
  readonly deliveries: DeliveryRepository;
  readonly recoveries: Repository<Recovery, RecoveryQuery>;
  readonly runs: Listing<Run, RunQuery>;
  readonly issues: Repository<FiledIssue, IssueQuery>;
  readonly records: RecordRepository;
  readonly outgoing: FactSpool;
  /**
   * The commits after the one with this number, oldest first, at most `limit`. "too-old": the store no longer knows what
   * followed that commit, or never had it; the caller must read everything again.
   */
  changesSince(number: number, limit: number): Promise<readonly Commit[] | "too-old">;
  /**
   * Forgets what is older, by age: beats by their arrival, flips and blind spans by their date; with the
   * beats the cycles that were last heard of before, except the newest of each agent; with the flips the runs, and the
   * incidents, deliveries, recoveries, issues and records that are over: not of interest, not under way, not counting,
   * closed, not current.
   */
  prune(before: {
    readonly beats: Instant;
    readonly flips: Instant;
  }): Promise<{ beats: number; flips: number }>;
  close(): Promise<void>;
}

/** `fenced`: another process has taken the store over, and this one must end. `unreachable`: its server does not answer. */
export type StoreProblem =
  | "newer-schema"
  | "corrupt"
  | "full"
  | "read-only"
  | "busy"
  | "unreachable"
  | "closed"
  | "fenced"
  | "failed";

/** What went wrong with the store, in a sentence that names the file and what to do. */
export class StoreError extends Error {
  readonly code: StoreProblem;

  constructor(code: StoreProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}
