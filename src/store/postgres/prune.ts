import { UNDER_WAY } from "../kit/pages.ts";
import type { Calls, Pruned } from "../kit/protocol.ts";
import type { PgConnection } from "./connection.ts";
import { BEATS, BEATS_BY_AGENT, type DayTables, FLIPS, type KnownDays } from "./days.ts";
import { numberIn } from "./reads.ts";

/** Rows that one statement deletes at most, so that commits wait only for a moment. */
const ROWS = 5_000;

interface PruneDeps {
  readonly connection: PgConnection;
  readonly days: KnownDays;
  readonly part: number;
  readonly epoch: number;
}

/** Does one step, and answers with how many beats or flips went, and whether there is more to do of it. */
type Step = (deps: PruneDeps, ask: Calls["prune"]["ask"]) => Promise<{ count: number; more?: boolean }>;

/** Tables whose rows are changed while they live cannot be dropped by date: what is over and old is deleted. */
const over =
  (table: string, where: string, by: "beats" | "flips" = "flips"): Step =>
  async ({ connection, part }, { before }) => {
    const count = await connection.count({
      text: `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE part = $1 AND ${where} LIMIT ${ROWS}))`,
      values: [part, before[by]],
    });
    return { count, more: count === ROWS };
  };

/** Hides what is older, and counts it. The rows go with their table. */
const hide =
  ({ table, keeps, at }: DayTables): Step =>
  async ({ connection, part, epoch }, { before }) => {
    const rows = await connection.run({
      text: `WITH f AS (UPDATE partitions SET ${table}_from = greatest(${table}_from, $3) WHERE id = $1 AND epoch = $2 RETURNING id),
          was AS (SELECT ${table}_from FROM partitions WHERE id = $1)
        SELECT count(*) FROM f, was, ${table} WHERE part = f.id AND day <> 0 AND ${at} >= was.${table}_from AND ${at} < $3`,
      values: [part, epoch, before[keeps]],
    });
    return { count: numberIn(rows) };
  };

const drop =
  (tables: DayTables): Step =>
  async ({ connection, days }, { before }) => {
    await days.drop(connection, tables, before[tables.keeps]);
    return { count: 0 };
  };

const STEPS: readonly { readonly counts?: "beats" | "flips"; readonly step: Step }[] = [
  { counts: "beats", step: hide(BEATS) },
  { step: over("beats_by_agent_other", "received_at < $2", "beats") },
  { counts: "beats", step: over("beats_other", "received_at < $2", "beats") },
  { step: drop(BEATS_BY_AGENT) },
  { step: drop(BEATS) },
  { counts: "flips", step: hide(FLIPS) },
  { counts: "flips", step: over("flips_other", "at < $2") },
  { step: drop(FLIPS) },
  {
    // The newest cycle of an agent on the roll stays, however old: a watcher starts from it.
    step: over(
      "cycles",
      `began_at < $2 AND last_at < $2 AND NOT (EXISTS (SELECT 1 FROM agents WHERE id = cycles.agent) AND number =
        (SELECT number FROM cycles c WHERE c.agent = cycles.agent ORDER BY began_at DESC, number DESC LIMIT 1))`,
      "beats",
    ),
  },
  { step: over("incidents", "opened_at < $2 AND of_interest = 0") },
  { step: over("deliveries", `created_at < $2 AND NOT ${UNDER_WAY}`) },
  { step: over("recoveries", "planned_at < $2 AND counts = 0") },
  { step: over("runs", "due_at < $2") },
  { step: over("issues", "created_at < $2 AND closed = 1") },
  { step: over("records", "at < $2 AND current = 0") },
  { step: over("blind", "from_at < $2 AND to_at < $2") },
];

/** Prunes in slices: each call does one and says where the next goes on. */
export async function prune(deps: PruneDeps, ask: Calls["prune"]["ask"]): Promise<Pruned> {
  const { table } = ask.cursor;
  const found = STEPS[table];
  if (found === undefined) return { beats: 0, flips: 0 };
  const { count, more = false } = await found.step(deps, ask);
  const next = more ? table : table + 1;
  return {
    beats: found.counts === "beats" ? count : 0,
    flips: found.counts === "flips" ? count : 0,
    ...(next < STEPS.length ? { next: { table: next, agent: "" } } : {}),
  };
}
