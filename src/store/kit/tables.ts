import type { RowBatch } from "./protocol.ts";

export type ColumnType = "text" | "float8" | "int2" | "int4" | "int8";
export type TableColumn = readonly [name: string, type: ColumnType];

/** A table as both databases have it, with its columns in the order of `encode.ts`. Types are those of PostgreSQL. */
export interface TableForm {
  readonly name: Exclude<keyof RowBatch, "removed" | "mark" | "flushed" | "commit"> | "commits";
  readonly columns: readonly TableColumn[];
  /** What tells a row from all others. Without one, rows are kept in the order in which they came. */
  readonly key?: readonly string[];
}

const text = (...names: string[]): TableColumn[] => names.map((name) => [name, "text"]);
const time = (...names: string[]): TableColumn[] => names.map((name) => [name, "float8"]);
const flag = (name: string): TableColumn => [name, "int2"];

/** Without the facts for a hub and the commits, whose rows have numbers that a commit cannot know. */
export const COMMITTED: readonly TableForm[] = [
  { name: "agents", columns: text("id", "body"), key: ["id"] },
  { name: "beats", columns: [...text("id", "agent"), ...time("received_at"), ...text("body")] },
  {
    name: "roll",
    columns: [
      ...text("agent", "state", "reason", "why"),
      ...time("at", "basis", "next", "since"),
      ...text("observations", "last_beat", "learnt"),
    ],
    key: ["agent"],
  },
  {
    name: "flips",
    columns: [
      ...text("agent"),
      ...time("at", "noticed_at"),
      ...text("from_state", "to_state", "reason", "why"),
    ],
  },
  {
    name: "cycles",
    columns: [
      ...text("agent"),
      ...time("number", "began_at", "last_at"),
      ...text("last_action"),
      ...time("ended_at"),
      ...text("outcome", "incarnation"),
    ],
    key: ["agent", "number"],
  },
  { name: "blind", columns: [...time("from_at", "to_at"), ...text("cause")] },
  {
    name: "incidents",
    columns: [
      ...text("id", "subject", "kind"),
      ...time("opened_at", "resolved_at"),
      ...text("spoken_for_by"),
      flag("of_interest"),
      ...text("body", "host"),
    ],
    key: ["id"],
  },
  {
    name: "deliveries",
    columns: [...text("key", "channel", "incident"), ...time("created_at"), ...text("state", "body")],
    key: ["key"],
  },
  {
    name: "recoveries",
    columns: [...text("id", "agent"), ...time("planned_at"), flag("counts"), ...text("body")],
    key: ["id"],
  },
  {
    name: "runs",
    columns: [...text("action", "id"), ...time("due_at"), ...text("body")],
    key: ["action", "id"],
  },
  {
    name: "issues",
    columns: [...text("key", "agent", "month"), ...time("created_at"), flag("closed"), ...text("body")],
    key: ["key"],
  },
  {
    name: "records",
    columns: [...text("kind", "id"), ...time("at"), ...text("about"), flag("current"), ...text("body")],
    key: ["kind", "id"],
  },
];

export const OUTGOING: readonly TableColumn[] = [...time("at"), ...text("kind", "agent", "body")];

/** Every table, as stores are copied. */
export const COPIED: readonly TableForm[] = [
  ...COMMITTED,
  { name: "outgoing", columns: [["seq", "int8"], ...OUTGOING], key: ["seq"] },
  { name: "commits", columns: [["no", "int8"], ["ids", "int8"], ...text("changed")], key: ["no"] },
];
