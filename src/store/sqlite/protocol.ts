import type { StoreProblem } from "../../ports/store.ts";
import type { Calls, Loaded } from "../kit/protocol.ts";

/** What the thread is asked besides what every database is. */
export interface ThreadCalls extends Calls {
  /** Writes all that is committed into a new file of this name. */
  copy: { ask: string; answer: null };
  close: { ask: null; answer: null };
}
export type Call = keyof ThreadCalls;
export type Request = { [C in Call]: { readonly call: C; readonly ask: ThreadCalls[C]["ask"] } }[Call];

/** The parts of what is loaded that grow with the fleet. They come in slices, before the answer that has the rest. */
export type Sliced = keyof Pick<Loaded, "agents" | "roll" | "cycles" | "unflushed">;
export interface Slice {
  readonly part: Sliced;
  readonly rows: readonly unknown[];
}

/** Answers come in the order of the requests; the first one answers the opening itself. */
export type ThreadAnswer =
  | { readonly ok: true; readonly slice: Slice }
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: StoreProblem; readonly message: string };

/** What the database is opened with. */
export interface SqliteDeps {
  readonly file: string;
  readonly readOnly?: boolean;
  /** How long another writer is waited for, in milliseconds. */
  readonly patience?: number;
  /** The largest size in pages: it stands for a full disk in tests. */
  readonly maxPages?: number;
  /** Takes what is loaded of a large fleet slice by slice; the answer then has only the rest. */
  readonly takeSlice?: (slice: Slice) => void;
}

/** What the thread is started with. */
export interface SqliteThreadDeps extends Omit<SqliteDeps, "takeSlice"> {
  /** How many slices the other side has taken, as one number of shared memory. */
  readonly taken: Int32Array;
}
