import { MINUTE } from "../../core/duration.ts";
import { BLIND_SPANS, CYCLE, FLIP, listPage, oneOf, RECORD, ROLL, UNDER_WAY } from "../kit/pages.ts";
import { timesOfPoints } from "../kit/points.ts";
import type {
  BodyRow,
  Calls,
  CommitRow,
  CycleRow,
  FlipPoint,
  FlipRow,
  Loaded,
  LoadedAgent,
  MarkRow,
  PageOf,
  RecordRow,
} from "../kit/protocol.ts";
import type { PgConnection, PgRow } from "./connection.ts";

/** What a watcher starts from, part by part. */
const WHOLE = {
  agents: "SELECT body FROM agents WHERE part = $1",
  roll: `SELECT ${ROLL} FROM roll WHERE part = $1`,
  blind: `SELECT from_at, to_at, cause FROM (SELECT * FROM blind WHERE part = $1
    ORDER BY from_at DESC, no DESC, ord DESC LIMIT ${BLIND_SPANS}) AS newest ORDER BY from_at, no, ord`,
  cycles: `SELECT ${CYCLE} FROM agents, LATERAL (SELECT * FROM cycles WHERE agent = agents.id
    ORDER BY began_at DESC, number DESC LIMIT 1) AS newest WHERE agents.part = $1`,
  incidents: "SELECT body FROM incidents WHERE part = $1 AND of_interest = 1 ORDER BY opened_at, id",
  deliveries: `SELECT body FROM deliveries WHERE part = $1 AND ${UNDER_WAY} ORDER BY created_at, key`,
  recoveries: "SELECT body FROM recoveries WHERE part = $1 AND counts = 1 ORDER BY planned_at, id",
  records: `SELECT ${RECORD} FROM records WHERE part = $1 AND current = 1 ORDER BY kind, at, id`,
  unflushed: `SELECT body FROM beats WHERE part = $1 AND no > (SELECT flushed FROM partitions WHERE id = $1)
    ORDER BY no, ord`,
} as const;

/** The same of one agent. */
const OF_AGENT = {
  agents: "SELECT body FROM agents WHERE part = $1 AND id = $2",
  roll: `SELECT ${ROLL} FROM roll WHERE part = $1 AND agent = $2`,
  cycles: `SELECT ${CYCLE} FROM cycles WHERE agent = $2
    AND EXISTS (SELECT 1 FROM agents WHERE part = $1 AND id = $2) ORDER BY began_at DESC, number DESC LIMIT 1`,
  records: `SELECT ${RECORD} FROM records WHERE part = $1 AND kind = 'ping-run' AND about = $2
    AND current = 1 ORDER BY at, id`,
  unflushed: `SELECT body FROM beats WHERE part = $1 AND agent = $2
    AND no > (SELECT flushed FROM partitions WHERE id = $1) ORDER BY no, ord`,
} as const;

const PAGES = {
  flips: `SELECT ${FLIP} FROM flips WHERE agent = $1 AND at < $2
    AND at >= (SELECT max(flips_from) FROM partitions) ORDER BY at DESC, no DESC, ord DESC LIMIT $3 OFFSET $4`,
  cycles: `SELECT ${CYCLE} FROM cycles WHERE agent = $1 AND began_at < $2
    ORDER BY began_at DESC, number DESC LIMIT $3 OFFSET $4`,
} as const;

/** All parts as of one moment. */
function asOfOneMoment<T>(connection: PgConnection, read: () => Promise<T>): Promise<T> {
  return connection.transaction(async () => {
    await connection.run({ text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY" });
    return read();
  });
}

export function loadAgent(connection: PgConnection, part: number, id: string): Promise<LoadedAgent> {
  return asOfOneMoment(connection, async () => {
    const of = async <R>(what: keyof typeof OF_AGENT) =>
      (await connection.run({ text: OF_AGENT[what], values: [part, id] })) as unknown as R[];
    const blind = (await connection.run({ text: WHOLE.blind, values: [part] })) as unknown;
    return {
      agents: await of<BodyRow>("agents"),
      roll: await of("roll"),
      blind: blind as LoadedAgent["blind"],
      cycles: await of<CycleRow>("cycles"),
      records: await of<RecordRow>("records"),
      unflushed: await of<BodyRow>("unflushed"),
    };
  });
}

export async function agentCount(connection: PgConnection, part: number): Promise<number> {
  return numberIn(
    await connection.run({ text: "SELECT count(*) FROM agents WHERE part = $1", values: [part] }),
  );
}

/** The number of the last commit, and the last mark. */
export async function stateOf(
  connection: PgConnection,
  part: number,
): Promise<Pick<Loaded, "number" | "mark">> {
  const [state] = await connection.run({
    text: `SELECT no, mark_at, mark_uptime, mark_boot, CASE WHEN mark_owner <> owner AND isfinite(marked) THEN ${ageOf("marked")} END,
      ${ageOf("greatest(seen, marked)")} FROM partitions WHERE id = $1`,
    values: [part],
  });
  const [number, ...mark] = state ?? [0, null];
  return { number: Number(number), mark: mark[0] === null ? null : (mark as unknown as MarkRow) };
}

/** Everything of one part of the fleet. */
export async function load(connection: PgConnection, part: number): Promise<Loaded> {
  return asOfOneMoment(connection, async () => {
    const all = async <R>(what: keyof typeof WHOLE) =>
      (await connection.run({ text: WHOLE[what], values: [part], within: 2 * MINUTE })) as unknown as R[];
    return {
      ...(await stateOf(connection, part)),
      agents: await all<BodyRow>("agents"),
      roll: await all("roll"),
      blind: await all("blind"),
      cycles: await all<CycleRow>("cycles"),
      incidents: await all<BodyRow>("incidents"),
      deliveries: await all<BodyRow>("deliveries"),
      recoveries: await all<BodyRow>("recoveries"),
      records: await all<RecordRow>("records"),
      unflushed: await all<BodyRow>("unflushed"),
    };
  });
}

/**
 * How far the index of beats by agent goes. It is a question of its own, so that the server knows the number when it plans the
 * next one. The index may be further by then: what it got meanwhile is left out of it.
 */
async function indexedUpTo(connection: PgConnection): Promise<number> {
  return numberIn(await connection.run({ text: "SELECT coalesce(max(no), 0) FROM beats_indexed" }));
}

export async function beats(
  connection: PgConnection,
  { agent, before, limit, skip = 0 }: PageOf,
): Promise<readonly BodyRow[]> {
  const rows = await connection.run({
    text: `SELECT body FROM (
        (SELECT day, id, received_at, no, ord FROM beats_by_agent WHERE agent = $1 AND received_at < $2
          AND received_at >= (SELECT max(beats_from) FROM partitions) AND no <= $5
          ORDER BY received_at DESC, no DESC, ord DESC LIMIT $3::int8 + $4::int8)
        UNION ALL
        SELECT day, id, received_at, no, ord FROM beats WHERE no > $5 AND agent = $1 AND received_at < $2
          AND received_at >= (SELECT max(beats_from) FROM partitions)
      ) AS found JOIN beats USING (day, id) WHERE beats.agent = $1
      ORDER BY found.received_at DESC, found.no DESC, found.ord DESC LIMIT $3 OFFSET $4`,
    values: [agent, before, limit, skip, await indexedUpTo(connection)],
  });
  return rows as unknown as BodyRow[];
}

export async function page<R extends FlipRow | CycleRow>(
  connection: PgConnection,
  kind: keyof typeof PAGES,
  { agent, before, limit, skip = 0 }: PageOf,
): Promise<readonly R[]> {
  const rows = await connection.run({ text: PAGES[kind], values: [agent, before, limit, skip] });
  return rows as unknown as R[];
}

export async function flipsSince(
  connection: PgConnection,
  { since, agents, most }: Calls["flipsSince"]["ask"],
): Promise<readonly FlipRow[]> {
  const rows = await connection.run({
    text: `SELECT ${FLIP} FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place), LATERAL (
        SELECT * FROM flips WHERE agent = asked.id AND at >= $2
          AND at >= (SELECT max(flips_from) FROM partitions) ORDER BY at DESC, no DESC, ord DESC LIMIT $3
      ) AS newest ORDER BY place, at, no, ord`,
    values: [[...agents], since, most],
  });
  return rows as unknown as FlipRow[];
}

export async function stateTimes(
  connection: PgConnection,
  { agents, cuts }: Calls["stateTimes"]["ask"],
): Promise<Calls["stateTimes"]["answer"]> {
  const rows = (await connection.run({
    text: `SELECT place, at, from_state, to_state FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place), LATERAL (
        SELECT * FROM flips WHERE agent = asked.id AND at >= $2 AND at < $3
          AND at >= (SELECT max(flips_from) FROM partitions)
      ) AS found ORDER BY place, at, no, ord`,
    values: [[...agents], cuts.from, cuts.until],
  })) as unknown as (readonly [place: number, ...FlipPoint])[];
  const points = agents.map((): FlipPoint[] => []);
  for (const [place, ...point] of rows) points[Number(place) - 1]?.push(point);
  return points.map((each) => timesOfPoints(each, cuts));
}

export async function beatCounts(
  connection: PgConnection,
  { agent, cuts: { from, until, width } }: Calls["beatCounts"]["ask"],
): Promise<Calls["beatCounts"]["answer"]> {
  const rows = await connection.run({
    text: `SELECT floor((received_at - $2) / $4)::int AS slot, count(*)::int FROM (
        SELECT received_at FROM beats_by_agent
          WHERE agent = $1 AND received_at >= $2 AND received_at < $3 AND no <= $5
        UNION ALL
        SELECT received_at FROM beats WHERE no > $5 AND agent = $1 AND received_at >= $2 AND received_at < $3
      ) AS found WHERE received_at >= (SELECT max(beats_from) FROM partitions) GROUP BY slot`,
    values: [agent, from, until, width, await indexedUpTo(connection)],
  });
  return rows as unknown as (readonly [number, number])[];
}

export async function list(
  connection: PgConnection,
  ask: Calls["list"]["ask"],
): Promise<readonly (BodyRow | RecordRow)[]> {
  const { sql, values } = listPage(ask);
  return (await connection.run({ text: numbered(sql), values })) as unknown as BodyRow[];
}

export async function one(
  connection: PgConnection,
  { table, key }: Calls["one"]["ask"],
): Promise<BodyRow | RecordRow | null> {
  const [row] = await connection.run({ text: numbered(oneOf(table)), values: key });
  return (row as unknown as BodyRow | undefined) ?? null;
}

export async function underWay(connection: PgConnection): Promise<number> {
  return numberIn(await connection.run({ text: `SELECT count(*) FROM deliveries WHERE ${UNDER_WAY}` }));
}

export async function changesSince(
  connection: PgConnection,
  part: number,
  { number, limit }: Calls["changesSince"]["ask"],
): Promise<readonly CommitRow[] | null> {
  const [known] = await connection.run({
    text: "SELECT coalesce(min(no), 1), coalesce(max(no), 0) FROM commits WHERE part = $1",
    values: [part],
  });
  const [first, last] = (known ?? [1, 0]) as [number, number];
  if (number < first - 1 || number > last) return null;
  const rows = await connection.run({
    text: "SELECT no, changed FROM commits WHERE part = $1 AND no > $2 ORDER BY no LIMIT $3",
    values: [part, number, limit],
  });
  return rows as unknown as CommitRow[];
}

/** How long ago a moment was, in milliseconds by the database's clock. */
export function ageOf(moment: string): string {
  return `(1000 * extract(epoch FROM clock_timestamp() - greatest(${moment}, 'epoch')))::float8`;
}

export function numberIn(rows: readonly PgRow[]): number {
  return Number(rows[0]?.[0] ?? 0);
}

/** The shared texts have a question mark for each value. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}
