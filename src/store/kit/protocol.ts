import type { Instant, Millis } from "../../core/duration.ts";
import type { Cuts } from "../../core/liveness/state-times.ts";
import type { Persistable } from "../../ports/store.ts";

/** What a column holds. Flat lists of these are the cheapest messages to a thread. */
export type Value = string | number | null;

/** The tables whose rows are read as JSON, in pages. */
export type TableName = keyof Persistable;

/** The rows of each part of a commit, one after the other in one flat list. */
export type Part =
  | "removed"
  | "agents"
  | "beats"
  | "roll"
  | "flips"
  | "cycles"
  | "blind"
  | TableName
  | "outgoing"
  | "mark"
  | "flushed"
  | "commit";
export type RowBatch = Readonly<Partial<Record<Part, readonly Value[]>>>;

export type RollRow = readonly [
  agent: string,
  state: string,
  reason: string,
  why: string,
  at: number,
  basis: number,
  next: number,
  since: number,
  observations: string,
  lastBeat: string | null,
  learnt: string | null,
];
export type FlipRow = readonly [
  agent: string,
  at: number,
  noticedAt: number,
  from: string,
  to: string,
  reason: string,
  why: string,
];
export type CycleRow = readonly [
  agent: string,
  number: number,
  beganAt: number,
  lastAt: number,
  lastAction: string | null,
  endedAt: number | null,
  outcome: string | null,
  incarnation: string | null,
];
type BlindRow = readonly [from: number, to: number, cause: string];
/** All that is stored of it, as JSON. */
export type BodyRow = readonly [body: string];
export type RecordRow = readonly [
  body: string,
  kind: string,
  id: string,
  at: number,
  about: string,
  current: number,
];
export type CommitRow = readonly [number: number, changed: string];
/** The last two if another process wrote it: how long ago that was, and how long ago it was last heard of. */
export type MarkRow = readonly [
  at: number,
  uptime: number,
  bootId: string,
  written?: Millis | null,
  seen?: Millis,
];

export interface Loaded {
  readonly number: number;
  readonly agents: readonly BodyRow[];
  readonly roll: readonly RollRow[];
  readonly blind: readonly BlindRow[];
  readonly cycles: readonly CycleRow[];
  readonly incidents: readonly BodyRow[];
  readonly deliveries: readonly BodyRow[];
  readonly recoveries: readonly BodyRow[];
  readonly records: readonly RecordRow[];
  readonly mark: MarkRow | null;
  readonly unflushed: readonly BodyRow[];
}

export type LoadedAgent = Pick<Loaded, "agents" | "roll" | "blind" | "cycles" | "records" | "unflushed">;

/** A place in a list of one agent's history. */
export interface PageOf {
  readonly agent: string;
  readonly before: Instant;
  readonly limit: number;
  readonly skip?: number;
}

/** The newest flips of some agents. */
export interface FlipsSince {
  readonly since: Instant;
  readonly agents: readonly string[];
  readonly most: number;
}

/** A flip with no more than what time in a state is counted by. */
export type FlipPoint = readonly [at: number, from: string, to: string];

/** A page of a table: what passes the filters, which `pages.ts` names, after what has this time and id. */
export interface ListOf {
  readonly table: TableName;
  readonly filters: readonly (readonly [filter: string, ...values: Value[]])[];
  readonly before: Instant;
  readonly beforeId: string;
  readonly limit: number;
}

export interface Age {
  readonly beats: Instant;
  readonly flips: Instant;
}

/** Where the next slice of pruning goes on: the table, and the agent after which it does. */
export interface PruneCursor {
  readonly table: number;
  readonly agent: string;
}

export interface Pruned {
  readonly beats: number;
  readonly flips: number;
  /** Absent once everything is pruned. */
  readonly next?: PruneCursor;
}

/** What a database is asked, and what each question is answered with. */
export interface Calls {
  /** Answers with the commit's number. */
  commit: { ask: RowBatch; answer: number };
  load: { ask: null; answer: Loaded };
  loadAgent: { ask: string; answer: LoadedAgent };
  lastMark: { ask: null; answer: MarkRow | null };
  beats: { ask: PageOf; answer: readonly BodyRow[] };
  flips: { ask: PageOf; answer: readonly FlipRow[] };
  flipsSince: { ask: FlipsSince; answer: readonly FlipRow[] };
  /** For each agent the parts of the span; null without a flip. */
  stateTimes: {
    ask: { readonly agents: readonly string[]; readonly cuts: Cuts };
    answer: readonly (readonly Readonly<Record<string, Millis>>[] | null)[];
  };
  /** The parts with beats, and how many each has. */
  beatCounts: {
    ask: { readonly agent: string; readonly cuts: Cuts };
    answer: readonly (readonly [part: number, beats: number])[];
  };
  cycles: { ask: PageOf; answer: readonly CycleRow[] };
  list: { ask: ListOf; answer: readonly (BodyRow | RecordRow)[] };
  one: {
    ask: { readonly table: TableName; readonly key: readonly Value[] };
    answer: BodyRow | RecordRow | null;
  };
  /** How many deliveries are under way. */
  underWay: { ask: null; answer: number };
  /** The commits after one, or null if they are not known any more. */
  changesSince: {
    ask: { readonly number: number; readonly limit: number };
    answer: readonly CommitRow[] | null;
  };
  spool: {
    ask: null;
    answer: readonly [
      id: string,
      facts: number,
      bytes: number,
      last: number,
      acked: number,
      forgotten: number,
    ];
  };
  renewSpool: { ask: string; answer: null };
  outgoing: {
    ask: { readonly after: number; readonly bytes: number };
    answer: readonly (readonly [seq: number, body: string])[];
  };
  forgetOutgoing: { ask: { readonly upTo: number; readonly before: Instant }; answer: null };
  prune: { ask: { readonly before: Age; readonly cursor: PruneCursor }; answer: Pruned };
}

/** A database that answers questions one after the other, in the order in which they were asked. */
export interface AskedDatabase {
  ask<C extends keyof Calls>(call: C, ask: Calls[C]["ask"]): Promise<Calls[C]["answer"]>;
  /** Everything asked before is still done; nothing can be asked any more. */
  close(): Promise<void>;
}
