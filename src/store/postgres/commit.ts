import { REMEMBERED_IDS } from "../../ports/commit.ts";
import { notOnRoll } from "../../ports/committable.ts";
import type { RowBatch, Value } from "../kit/protocol.ts";
import { COMMITTED, type ColumnType, OUTGOING, type TableForm } from "../kit/tables.ts";
import { arrayOf } from "./array.ts";
import type { Statement } from "./connection.ts";
import { dayOfBeat, dayOfFlip } from "./days.ts";

/** The day of the table that a row lies in. */
export const DAY_OF: Readonly<Partial<Record<TableForm["name"], (row: readonly Value[]) => number>>> = {
  beats: ([id, , receivedAt]) => dayOfBeat(String(id), Number(receivedAt)),
  flips: ([, , noticedAt]) => dayOfFlip(Number(noticedAt)),
};

/** Statements that the server remembers. Others are planned each time, so that it never remembers hundreds. */
const NAMED = 48;

/** Who commits: the fence that the statement writes. */
export interface Fence {
  readonly part: number;
  readonly epoch: number;
  readonly number: number;
  /** How long the lease lasts from now, in seconds. */
  readonly lease: number;
}

/** A commit that is ready to be sent, also more than once: only the fence differs. */
export interface PreparedCommit {
  /**
   * Beats that are there already are an error (23505), unless `mayRepeat`: then they are passed over, which costs the server a
   * sixth more for each beat.
   */
  statement(fence: Fence, mayRepeat?: boolean): Statement;
  /** The days of the tables that it needs. */
  readonly beatDays: readonly number[];
  readonly flipDays: readonly number[];
  /** Agents that must be on the roll for it. */
  readonly needed: readonly string[];
  /** The error for an agent that is not. */
  missing(agent: string): Error;
  /** What it adds to the facts for a hub. */
  readonly outgoing: { readonly bytes: number; readonly newest: number } | undefined;
}

/**
 * Makes statements of commits. Each is one statement: it writes the fence, and nothing else happens unless that row was
 * there. So a commit is one round trip, and no lock outlives it.
 */
export class CommitStatements {
  readonly #names = new Map<string, string>();

  prepare(batch: RowBatch): PreparedCommit {
    const sql = new Parts();
    const added = new Set(firstOf(batch.agents, 2));
    const gone = new Set(batch.removed);
    const entries = firstOf(batch.roll, 11);
    const flips = firstOf(batch.flips, 7);
    const missing = (agent: string) => notOnRoll(entries.includes(agent) ? "entry" : "flip", agent);
    const needed = [...new Set([...entries, ...flips])].filter((id) => !added.has(id));
    const removed = needed.find((id) => gone.has(id));
    if (removed !== undefined) throw missing(removed);

    const set = [
      "no = $3::int8",
      "ids = ids + $4::int8",
      "expires = clock_timestamp() + make_interval(secs => $5::float8)",
      "seen = clock_timestamp()",
    ];
    const where = ["id = $1::int2", "epoch = $2::int8", "no = $3::int8 - 1"];
    if (batch.mark !== undefined) {
      for (const [at, column] of ["mark_at", "mark_uptime", "mark_boot"].entries())
        set.push(`${column} = ${sql.value(batch.mark[at])}`);
      set.push("mark_owner = owner", "marked = clock_timestamp()");
    }
    if (batch.flushed !== undefined) {
      set.push("flushed = $3::int8");
      sql.add(FORGET_COMMITS);
    }
    if (needed.length > 0) where.push(onRoll(sql.list(needed, "text")));
    if (batch.removed !== undefined) addRemovals(sql, batch.removed, [...added], entries);
    const days: Partial<Record<TableForm["name"], readonly number[]>> = {};
    for (const table of COMMITTED) {
      const rows = table.name === "commits" ? undefined : batch[table.name];
      if (rows === undefined) continue;
      const width = table.columns.length;
      const dayOf = DAY_OF[table.name];
      if (dayOf !== undefined) days[table.name] = rowsOf(rows, width).map(dayOf);
      sql.add(insert(sql, table, table.key === undefined ? rows : lastOfEach(rows, table), days[table.name]));
    }
    const outgoing =
      batch.outgoing === undefined ? undefined : addOutgoing(sql, rowsOf(batch.outgoing, 4), set);
    const [size = 1, changed = "{}"] = batch.commit ?? [];
    const text = `WITH f AS (UPDATE partitions SET ${set.join(", ")} WHERE ${where.join(" AND ")}
      RETURNING id, no, ids, spool_last, spool_acked), c AS (INSERT INTO commits SELECT id, no, ids, $6::text FROM f)${sql.with} SELECT no FROM f`;
    return {
      statement: ({ part, epoch, number, lease }, mayRepeat = false) => {
        const one = mayRepeat ? text.replace(ALL_NEW, "ON CONFLICT DO NOTHING") : text;
        const values = [part, epoch, number, size, lease, changed, ...sql.values];
        return { text: one, values, ...this.#nameOf(one) };
      },
      ...{ beatDays: days.beats ?? [], flipDays: days.flips ?? [], needed, missing, outgoing },
    };
  }

  #nameOf(text: string): { readonly name?: string } {
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known };
    if (this.#names.size >= NAMED) return {};
    const name = `rollcall-${this.#names.size}`;
    this.#names.set(text, name);
    return { name };
  }
}

const OWN_VALUES = 6;
/** Stands where a statement says what becomes of beats that are there already. */
const ALL_NEW = "/* all are new */";

/** The values of a statement and the parts that depend on the fence. */
class Parts {
  readonly values: unknown[] = [];
  with = "";

  value(value: unknown): string {
    return `$${this.values.push(value) + OWN_VALUES}`;
  }

  list(values: readonly Value[], type: ColumnType): string {
    return `${this.value(arrayOf(values, type))}::${type}[]`;
  }

  add(statement: string): void {
    this.with += `, w${this.values.length} AS (${statement})`;
  }
}

const FORGET_COMMITS = `DELETE FROM commits USING f WHERE part = f.id AND commits.no <
  coalesce((SELECT c.no FROM commits c, f WHERE c.part = f.id AND c.ids > f.ids - ${REMEMBERED_IDS} ORDER BY c.no LIMIT 1), 0)`;

function onRoll(ids: string): string {
  return `NOT EXISTS (SELECT 1 FROM unnest(${ids}) AS needed WHERE NOT EXISTS (SELECT 1 FROM agents WHERE agents.id = needed))`;
}

/** What the same commit adds again stays where it is: a statement may change a row only once. */
function addRemovals(
  sql: Parts,
  removed: readonly Value[],
  added: readonly Value[],
  entries: readonly string[],
) {
  const gone = sql.list(removed, "text");
  sql.add(
    `DELETE FROM agents USING f WHERE agents.id = ANY(${gone}) AND agents.id <> ALL(${sql.list(added, "text")})`,
  );
  sql.add(
    `DELETE FROM roll USING f WHERE agent = ANY(${gone}) AND agent <> ALL(${sql.list(entries, "text")})`,
  );
}

function insert(
  sql: Parts,
  { name: table, columns, key }: TableForm,
  rows: readonly Value[],
  days: readonly number[] | undefined,
): string {
  const names = columns.map(([name]) => name);
  const lists = columns.map(([, type], at) => sql.list(columnOf(rows, columns.length, at), type));
  if (days !== undefined) {
    names.push("day");
    lists.push(sql.list(days, "int4"));
  }
  const isOrdered = key === undefined;
  const order = isOrdered
    ? { columns: "no, ord, ", values: "$3::int8, t.ord, " }
    : { columns: "", values: "" };
  const from = `unnest(${lists.join(", ")})${isOrdered ? " WITH ORDINALITY" : ""}`;
  const aliases = isOrdered ? [...names, "ord"] : names;
  // Whether the fence was written is asked once: a join with it would ask for each row.
  return `INSERT INTO ${table} (part, ${order.columns}${names.join(", ")})
    SELECT $1::int2, ${order.values}${names.map((name) => `t.${name}`).join(", ")} FROM ${from} AS t(${aliases.join(", ")})
    WHERE EXISTS (SELECT 1 FROM f)
    ${key === undefined ? "" : replacing(names, key)}${table === "beats" ? ALL_NEW : ""}`;
}

function replacing(names: readonly string[], key: readonly string[]): string {
  const others = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  return `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${others.join(", ")}`;
}

/** A new entry of an agent replaces one that the hub has not acknowledged; so does a flip. */
function addOutgoing(sql: Parts, facts: readonly (readonly Value[])[], set: string[]) {
  const newer = new Set<Value>();
  const kept = facts
    .toReversed()
    .filter(([, kind, agent = null]) => {
      const isReplaced = kind === "entry" && newer.has(agent);
      if (kind === "entry" || kind === "flip") newer.add(agent);
      return !isReplaced;
    })
    .reverse();
  set.push(`spool_last = spool_last + ${sql.value(kept.length)}::int8`);
  if (newer.size > 0)
    sql.add(`DELETE FROM outgoing USING f WHERE part = f.id AND kind = 'entry' AND seq > f.spool_acked
      AND agent = ANY(${sql.list([...newer], "text")})`);
  const flat = kept.flat();
  const lists = OUTGOING.map(([, type], at) => sql.list(columnOf(flat, OUTGOING.length, at), type));
  sql.add(`INSERT INTO outgoing (part, seq, at, kind, agent, size, body)
    SELECT f.id, f.spool_last - ${sql.value(kept.length)}::int8 + t.ord, t.at, t.kind, t.agent, length(t.body), t.body
    FROM f, unnest(${lists.join(", ")}) WITH ORDINALITY AS t(at, kind, agent, body, ord)`);
  return {
    bytes: kept.reduce((sum, row) => sum + String(row[3]).length, 0),
    newest: facts.reduce((newest, [at]) => Math.max(newest, Number(at)), 0),
  };
}

function firstOf(rows: readonly Value[] | undefined, width: number): string[] {
  return columnOf(rows ?? [], width, 0).map(String);
}

function rowsOf(flat: readonly Value[], width: number): (readonly Value[])[] {
  const rows: Value[][] = [];
  for (let at = 0; at < flat.length; at += width) rows.push(flat.slice(at, at + width));
  return rows;
}

function columnOf(flat: readonly Value[], width: number, place: number): Value[] {
  const column: Value[] = [];
  for (let at = place; at < flat.length; at += width) column.push(flat[at] ?? null);
  return column;
}

/** PostgreSQL refuses to replace a row twice in one statement (21000): of those with one key the last stays. */
function lastOfEach(flat: readonly Value[], { columns, key = [] }: TableForm): readonly Value[] {
  if (flat.length === columns.length) return flat;
  const rows = rowsOf(flat, columns.length);
  const places = key.map((name) => columns.findIndex(([column]) => column === name));
  const byKey = new Map(rows.map((row) => [JSON.stringify(places.map((at) => row[at])), row]));
  return byKey.size === rows.length ? flat : [...byKey.values()].flat();
}
