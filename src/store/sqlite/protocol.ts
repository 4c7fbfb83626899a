import type { StoreProblem } from "../../ports/store.ts";
import type { Calls } from "../kit/protocol.ts";

/** What the thread is asked besides what every database is. */
export interface ThreadCalls extends Calls {
  /** Writes all that is committed into a new file of this name. */
  copy: { ask: string; answer: null };
  close: { ask: null; answer: null };
}
export type Call = keyof ThreadCalls;
export type Request = { [C in Call]: { readonly call: C; readonly ask: ThreadCalls[C]["ask"] } }[Call];

/** Answers come in the order of the requests; the first one answers the opening itself. */
export type ThreadAnswer =
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
