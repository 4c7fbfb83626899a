import { createHash } from "node:crypto";
import {
  CopyError,
  type CopyProgress,
  type CopySource,
  type CopyTarget,
  otherData,
  START,
  type StoreState,
} from "./kit/copying.ts";
import type { Value } from "./kit/protocol.ts";
import { COPIED, type TableForm } from "./kit/tables.ts";

/** What a table holds: both stores agree on it. */
export interface CheckedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of all rows in their order. */
  readonly checksum: string;
}

export interface CopyReport {
  /** `resumed`: an interrupted copy was finished. `complete`: there was nothing left to copy. */
  readonly how: "new" | "resumed" | "complete";
  /** The number of the last commit. */
  readonly number: number;
  readonly tables: readonly CheckedTable[];
}

/** Told after each slice of rows. */
export type TellProgress = (
  doing: "copying" | "checking",
  table: string,
  rows: number,
  total: number,
) => void;

interface Copying {
  readonly from: CopySource;
  readonly to: CopyTarget;
  readonly counts: readonly number[];
  readonly tell: TellProgress;
}

/**
 * Copies all of a store into another, and compares both. The target notes with each slice how far it is, so a copy that
 * was killed goes on from there. It can be used only once everything is there and compared.
 */
export async function copyStore(from: CopySource, to: CopyTarget, tell: TellProgress): Promise<CopyReport> {
  const state = await from.state();
  const counts = await countsOf(from);
  const mark = { source: from.name, stamp: stampOf(state, counts) };
  const copying = { from, to, counts, tell };
  const found = await to.find();
  if (found === "data") {
    // A copy that was killed after its last step is complete: it is compared again, and nothing is written.
    if (stampOf(await to.state(), await countsOf(to)) !== mark.stamp) throw otherData(to.name);
    const { tables, differing } = await compare(copying, state);
    if (differing !== undefined) throw otherData(to.name);
    return { how: "complete", number: state.number, tables };
  }
  const isResumed = found !== "empty";
  if (isResumed && found.source !== mark.source)
    throw new CopyError(
      "other-data",
      `${to.name} holds an unfinished copy of ${found.source}. Finish that copy, or remove it.`,
    );
  await to.claim(mark, state);
  let progress = isResumed ? found.progress : START;
  if (isResumed && found.stamp !== mark.stamp) {
    // The source has changed since then.
    await to.clear(mark);
    progress = START;
  }
  for (let isSure = progress === START; ; isSure = true) {
    await copyRows(copying, progress);
    await to.finish(state);
    const { tables, differing } = await compare(copying, state);
    await from.check();
    if (differing === undefined) {
      await to.release();
      return { how: isResumed ? "resumed" : "new", number: state.number, tables };
    }
    if (isSure)
      throw new CopyError(
        "differs",
        `${to.name} differs from ${from.name} in ${differing} after copying. It stays unusable; remove it and copy again.`,
      );
    await to.clear(mark);
    progress = START;
  }
}

async function copyRows({ from, to, counts, tell }: Copying, begun: CopyProgress): Promise<void> {
  let { place, rows } = begun;
  for (const [table, form] of COPIED.entries()) {
    if (table < begun.table) continue;
    for await (const slice of from.rows(form, place)) {
      rows += slice.rows.length;
      await to.put(form, slice.rows, { table, rows, place: slice.place });
      tell("copying", form.name, rows, counts[table] ?? 0);
      await from.check();
    }
    [place, rows] = [undefined, 0];
  }
}

async function countsOf(store: CopySource): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const table of COPIED) counts.push(await store.count(table));
  return counts;
}

function stampOf(state: StoreState, counts: readonly number[]): string {
  return createHash("sha256")
    .update(JSON.stringify([factsOf(state), counts]))
    .digest("hex");
}

function factsOf({ number, ids, flushed, mark, spool }: StoreState): readonly unknown[] {
  return [number, ids, flushed, mark, spool.id, spool.last, spool.acked];
}

/** Reads both stores whole. Answers with the first thing in which they differ. */
async function compare(
  { from, to, counts, tell }: Copying,
  state: StoreState,
): Promise<{ readonly tables: readonly CheckedTable[]; readonly differing?: string }> {
  const tables: CheckedTable[] = [];
  for (const [at, form] of COPIED.entries()) {
    const total = 2 * (counts[at] ?? 0);
    const ours = await checked(from, form, (rows) => tell("checking", form.name, rows, total));
    const theirs = await checked(to, form, (rows) => tell("checking", form.name, ours.rows + rows, total));
    if (ours.rows !== theirs.rows || ours.checksum !== theirs.checksum)
      return { tables, differing: `the table ${form.name} (${ours.rows} and ${theirs.rows} rows)` };
    tables.push(ours);
  }
  const isSame = JSON.stringify(factsOf(await to.state())) === JSON.stringify(factsOf(state));
  return isSame ? { tables } : { tables, differing: "its numbers" };
}

async function checked(
  store: CopySource,
  form: TableForm,
  tell: (rows: number) => void,
): Promise<CheckedTable> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const slice of store.rows(form)) {
    hash.update(slice.rows.map(lineOf).join(""));
    rows += slice.rows.length;
    tell(rows);
  }
  return { table: form.name, rows, checksum: hash.digest("hex") };
}

/** JSON has no infinity, and databases do not agree on the sign of zero. */
function lineOf(row: readonly Value[]): string {
  const same = row.map((value) =>
    typeof value !== "number" ? value : Number.isFinite(value) ? value + 0 : [String(value)],
  );
  return `${JSON.stringify(same)}\n`;
}
