import { CodedError } from "../../core/coded-error.ts";
import { StoreError } from "../../ports/store.ts";
import type { MarkRow, Value } from "./protocol.ts";
import type { TableForm } from "./tables.ts";

/** Why a store is not copied. */
export class CopyError extends CodedError<"bad-place" | "in-use" | "other-data" | "changed" | "differs"> {
  override readonly name = "CopyError";
}

/** What a store holds besides its tables. */
export interface StoreState {
  readonly number: number;
  /** How many ids all commits have changed. */
  readonly ids: number;
  /** How many beats were recorded up to the last flushed commit: they come first. */
  readonly flushed: number;
  readonly mark: MarkRow | null;
  readonly spool: { readonly id: string; readonly last: number; readonly acked: number };
}

/** Where a row lies in its table, in the words of the database that has it. */
export type RowPlace = readonly Value[];

export interface RowSlice {
  readonly rows: readonly (readonly Value[])[];
  /** That of the last row. */
  readonly place: RowPlace;
}

/** Rows that one question reads and one transaction writes. */
export const SLICE = 1_000;

/** A store that nobody else writes, to be read as a whole. */
export interface CopySource {
  /** Its address, which may be told: without a password. */
  readonly name: string;
  state(): Promise<StoreState>;
  count(table: TableForm): Promise<number>;
  /** The rows after a place, in the table's order, which is the same in every kind of store. */
  rows(table: TableForm, after?: RowPlace): AsyncIterable<RowSlice>;
  /** Throws if somebody has written it since it was opened. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** How far a copy got. */
export interface CopyProgress {
  readonly table: number;
  /** Rows of this table that are there. */
  readonly rows: number;
  readonly place?: RowPlace | undefined;
}

export interface CopyMark {
  /** The name of the source. */
  readonly source: string;
  /** Tells the source's contents from others. */
  readonly stamp: string;
}

/** A store that a copy is written into. Nobody can use it until it is released. */
export interface CopyTarget extends CopySource {
  /** What is there already. */
  find(): Promise<"empty" | "data" | (CopyMark & { readonly progress: CopyProgress })>;
  /** Locks it against use: an empty one, or an unfinished copy, which goes on. A copy under way in another process ends. */
  claim(mark: CopyMark, state: StoreState): Promise<void>;
  /** Removes what an unfinished copy has written. */
  clear(mark: CopyMark): Promise<void>;
  /** Adds rows, and notes how far the copy is with them, in one transaction. */
  put(table: TableForm, rows: RowSlice["rows"], progress: CopyProgress): Promise<void>;
  /** Writes what is not in tables. */
  finish(state: StoreState): Promise<void>;
  /** The copy is complete: from here on a watcher may use it. */
  release(): Promise<void>;
}

export const START: CopyProgress = { table: 0, rows: 0 };

/** What everybody is told who opens a store whose copy is not complete. */
export function unfinishedCopy(where: string, source: string): StoreError {
  return new StoreError(
    "failed",
    `the database ${where} is an unfinished copy of ${source} and cannot be used yet. Run \`rollcall store copy\` with the same --from and --to again: it continues where it stopped.`,
  );
}

export function anotherCopies(where: string): CopyError {
  return new CopyError("in-use", `another process is copying into ${where}; this one stops`);
}

export function otherData(where: string): CopyError {
  return new CopyError(
    "other-data",
    `${where} holds other data. Copy into an empty database, or move that one away first.`,
  );
}

export function otherVersion(where: string): CopyError {
  return new CopyError(
    "other-data",
    `${where} holds an unfinished copy by another version of Rollcall. Remove it, then copy again.`,
  );
}
