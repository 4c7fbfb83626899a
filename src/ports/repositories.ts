import type { AuditEntry, Session, Token } from "../core/access/token.ts";
import type { ActionState, Run } from "../core/action/state.ts";
import type { Delivery } from "../core/delivery/delivery.ts";
import type { Instant } from "../core/duration.ts";
import type { CommandRecord } from "../core/host/command.ts";
import type { Invite, KnownHost } from "../core/host/host.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { Silence } from "../core/incident/policy.ts";
import type { Ping, PingRun } from "../core/ping/ping.ts";
import type { FiledIssue } from "../core/rca/filed-issue.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import type { Norm } from "../core/rhythm/norm.ts";

/** A position in a list. Lists are sorted newest first; at equal times the greater id comes first. */
export interface Cursor {
  readonly at: Instant;
  readonly id: string;
}

/** A page of a list. The store filters before it counts: a page is full if enough items match. */
export interface CursorPage {
  readonly limit: number;
  /** Only what comes after this position; it stands in place of `before`. */
  readonly after?: Cursor | undefined;
  /** Only what is older than this. */
  readonly before?: Instant | undefined;
  /** Only what is as new as this, or newer. */
  readonly since?: Instant | undefined;
}

export interface IncidentQuery extends CursorPage {
  /** Of this agent, group or host. */
  readonly subject?: string | undefined;
  readonly state?: "open" | "over" | undefined;
  readonly kind?: Incident["kind"] | undefined;
  /** Without those that a group's incident speaks for. */
  readonly grouped?: boolean | undefined;
  /** Of the agents of this host, and of the host itself. */
  readonly host?: string | undefined;
  /** Those that were open at this moment or later. */
  readonly openSince?: Instant | undefined;
}

export interface DeliveryQuery extends CursorPage {
  /** To this channel. */
  readonly to?: string | undefined;
  /** About this incident. */
  readonly incident?: string | undefined;
  /** `under-way`: pending or sending. `ended`: sent, refused or expired; a superseded one was never sent. */
  readonly state?: "under-way" | "ended" | undefined;
}

export interface RecoveryQuery extends CursorPage {
  readonly agent: string;
}

export interface RunQuery extends CursorPage {
  readonly action: string;
}

export interface IssueQuery extends CursorPage {
  /** About the ticks of this month. */
  readonly month?: string | undefined;
  readonly state?: "open" | "closed" | undefined;
}

export interface Listing<T, Query> {
  page(query: Query): Promise<readonly T[]>;
}

export interface Repository<T, Query> extends Listing<T, Query> {
  one(id: string): Promise<T | undefined>;
}

export interface DeliveryRepository extends Repository<Delivery, DeliveryQuery> {
  /** How many are under way. */
  underWay(): Promise<number>;
}

/** The positions of items in their lists. */
export const cursorOf = {
  incident: ({ openedAt: at, id }: Incident): Cursor => ({ at, id }),
  delivery: ({ createdAt: at, key: id }: Delivery): Cursor => ({ at, id }),
  recovery: ({ plannedAt: at, id }: Recovery): Cursor => ({ at, id }),
  run: ({ dueAt: at, id }: Run): Cursor => ({ at, id }),
  issue: ({ createdAt: at, key: id }: FiledIssue): Cursor => ({ at, id }),
  record: ({ at, id }: StoredRecord): Cursor => ({ at, id }),
} as const;

/** What is read and written whole under its kind and id, and asked for by little else: it shares one table. */
export type StoredRecord<K extends RecordKind = RecordKind> = { readonly [Each in K]: RecordOf<Each> }[K];

interface RecordOf<K extends RecordKind> {
  readonly kind: K;
  readonly id: string;
  /** What it is sorted by, and what its age counts from. */
  readonly at: Instant;
  /** The agent, group, action or person that it is of. */
  readonly about: string;
  /** It still counts: every snapshot holds it, and it is never pruned. */
  readonly current: boolean;
  readonly body: RecordBodies[K];
}

interface RecordBodies {
  readonly norm: Norm;
  readonly silence: Silence;
  readonly action: ActionState;
  readonly token: Token;
  readonly session: Session;
  readonly audit: AuditEntry;
  readonly ping: Ping;
  readonly "ping-run": PingRun;
  readonly host: KnownHost;
  readonly invite: Invite;
  readonly command: CommandRecord;
  /** The number up to which the inbox was heard. */
  readonly inbox: { readonly number: number };
}

export type RecordKind = keyof RecordBodies;

export interface RecordQuery extends CursorPage {
  readonly about?: string | undefined;
  /** Only those that still count. */
  readonly current?: boolean | undefined;
}

export interface RecordRepository {
  page<K extends RecordKind>(kind: K, query: RecordQuery): Promise<readonly StoredRecord<K>[]>;
  one<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<K> | undefined>;
}
