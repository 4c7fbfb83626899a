import type { Instant } from "../../core/duration.ts";
import type { StoreProblem } from "../../ports/store.ts";

/** What a column holds, and what crosses to the thread: flat lists of these are the cheapest messages. */
export type Value = string | number | null;

/** The rows of each part of a commit, one after the other in one flat list. */
export type Part =
  | "removed"
  | "agents"
  | "beats"
  | "roll"
  | "flips"
  | "cycles"
  | "blind"
  | "kept"
  | "mark"
  | "settled";
export type Batch = Readonly<Partial<Record<Part, readonly Value[]>>>;

export type AgentRow = readonly [body: string];
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
export type BeatRow = readonly [body: string];
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
export type KeptRow = readonly [
  kind: string,
  id: string,
  at: number,
  about: string,
  open: number,
  body: string,
];
export type MarkRow = readonly [at: number, uptime: number, bootId: string];

export interface Loaded {
  readonly agents: readonly AgentRow[];
  readonly roll: readonly RollRow[];
  readonly blind: readonly BlindRow[];
  readonly cycles: readonly CycleRow[];
  readonly kept: readonly KeptRow[];
  readonly mark: MarkRow | null;
  readonly unsettled: readonly BeatRow[];
}

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

/** A place in the list of one kind: after what has this time and id. */
export interface KeptOf {
  readonly kind: string;
  readonly before: Instant;
  readonly beforeId: string;
  readonly limit: number;
  readonly about: string | null;
  readonly open: boolean;
  readonly idPrefix: string | null;
  readonly where: Readonly<Record<string, string | true | null>>;
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

/** What the thread is asked, and what each question is answered with. */
export interface Calls {
  commit: { ask: Batch; answer: null };
  load: { ask: null; answer: Loaded };
  beats: { ask: PageOf; answer: readonly BeatRow[] };
  flips: { ask: PageOf; answer: readonly FlipRow[] };
  flipsSince: { ask: FlipsSince; answer: readonly FlipRow[] };
  cycles: { ask: PageOf; answer: readonly CycleRow[] };
  kept: { ask: KeptOf; answer: readonly KeptRow[] };
  one: { ask: { readonly kind: string; readonly id: string }; answer: KeptRow | null };
  prune: { ask: { readonly before: Age; readonly cursor: PruneCursor }; answer: Pruned };
  /** Writes all that is committed into a new file of this name. */
  copy: { ask: string; answer: null };
  close: { ask: null; answer: null };
}
export type Call = keyof Calls;
export type Request = { [C in Call]: { readonly call: C; readonly ask: Calls[C]["ask"] } }[Call];

/** Answers come in the order of the requests; the first one answers the opening itself. */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: StoreProblem; readonly message: string };

/** What the thread is started with. */
export interface SqliteThreadDeps {
  readonly file: string;
  readonly readOnly?: boolean;
  /** How long another writer is waited for, in milliseconds. */
  readonly patience?: number;
  /** The largest size in pages: it stands for a full disk in tests. */
  readonly maxPages?: number;
}
