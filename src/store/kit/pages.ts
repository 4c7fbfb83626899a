import type { ListOf, TableName, Value } from "./protocol.ts";

/** How many spans that were not watched a watcher starts from: more than it ever looks back. */
export const BLIND_SPANS = 256;

/** The columns of a row, in the order in which `decode.ts` reads them. */
export const ROLL = "agent, state, reason, why, at, basis, next, since, observations, last_beat, learnt";
export const FLIP = "agent, at, noticed_at, from_state, to_state, reason, why";
export const CYCLE = "agent, number, began_at, last_at, last_action, ended_at, outcome, incarnation";
export const RECORD = "body, kind, id, at, about, current";

export const UNDER_WAY = "state IN ('pending', 'sending')";

interface TableStatements {
  readonly columns: string;
  /** What it is sorted by. */
  readonly at: string;
  readonly id: string;
  readonly key: readonly string[];
  /** What can be asked of it. */
  readonly filters: Readonly<Record<string, string>>;
}

/** Each table has an index for every question that the product asks. */
const TABLES: Readonly<Record<TableName, TableStatements>> = {
  incidents: {
    ...{ columns: "body", at: "opened_at", id: "id", key: ["id"] },
    filters: {
      since: "opened_at >= ?",
      subject: "subject = ?",
      kind: "kind = ?",
      open: "resolved_at IS NULL",
      over: "resolved_at IS NOT NULL",
      grouped: "spoken_for_by IS NULL",
      host: "host = ?",
      openSince: "(resolved_at IS NULL OR resolved_at >= ?)",
    },
  },
  deliveries: {
    ...{ columns: "body", at: "created_at", id: "key", key: ["key"] },
    filters: {
      since: "created_at >= ?",
      to: "channel = ?",
      incident: "incident = ?",
      "under-way": UNDER_WAY,
      ended: "state IN ('sent', 'refused', 'expired')",
    },
  },
  recoveries: {
    ...{ columns: "body", at: "planned_at", id: "id", key: ["id"] },
    filters: { since: "planned_at >= ?", agent: "agent = ?" },
  },
  runs: {
    ...{ columns: "body", at: "due_at", id: "id", key: ["action", "id"] },
    filters: { since: "due_at >= ?", action: "action = ?" },
  },
  issues: {
    ...{ columns: "body", at: "created_at", id: "key", key: ["key"] },
    filters: { since: "created_at >= ?", month: "month = ?", open: "closed = 0", closed: "closed = 1" },
  },
  records: {
    ...{ columns: RECORD, at: "at", id: "id", key: ["kind", "id"] },
    filters: { since: "at >= ?", kind: "kind = ?", about: "about = ?", current: "current = 1" },
  },
};

/** A page, and the values that it takes, in their order. */
export function listPage({ table, filters, before, beforeId, limit }: ListOf): {
  readonly sql: string;
  readonly values: readonly Value[];
} {
  const { columns, at, id, filters: known } = TABLES[table];
  const terms = [`(${at}, ${id}) < (?, ?)`, ...filters.map(([name]) => known[name] ?? "false")];
  return {
    sql: `SELECT ${columns} FROM ${table} WHERE ${terms.join(" AND ")} ORDER BY ${at} DESC, ${id} DESC LIMIT ?`,
    values: [before, beforeId, ...filters.flatMap(([, ...values]) => values), limit],
  };
}

export function oneOf(table: TableName): string {
  const { columns, key } = TABLES[table];
  return `SELECT ${columns} FROM ${table} WHERE ${key.map((column) => `${column} = ?`).join(" AND ")}`;
}
