import { REMEMBERED_IDS } from "../../ports/commit.ts";
import { BLIND_SPANS, CYCLE, FLIP, RECORD, ROLL, UNDER_WAY } from "../kit/pages.ts";
import type { Part, TableName } from "../kit/protocol.ts";

/** What each part of a commit does, in the order in which it is done: removals first, so that what is removed
 * and added in one commit is there. `width` is how many values make a row. */
export const WRITES: readonly { readonly part: Part; readonly width: number; readonly sql: string }[] = [
  { part: "removed", width: 1, sql: "DELETE FROM agents WHERE id = ?" },
  { part: "removed", width: 1, sql: "DELETE FROM roll WHERE agent = ?" },
  { part: "agents", width: 2, sql: "INSERT OR REPLACE INTO agents VALUES (?, ?)" },
  {
    part: "beats",
    width: 4,
    sql: "INSERT INTO beats (id, agent, received_at, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  },
  {
    part: "roll",
    width: 11,
    // In place, so that the index of the key is not touched.
    sql: `INSERT INTO roll VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (agent) DO UPDATE SET
      state = excluded.state, reason = excluded.reason, why = excluded.why, at = excluded.at,
      basis = excluded.basis, next = excluded.next, since = excluded.since,
      observations = excluded.observations, last_beat = excluded.last_beat,
      learnt = excluded.learnt`,
  },
  {
    part: "flips",
    width: 7,
    sql: `INSERT INTO flips (agent, at, noticed_at, from_state, to_state, reason, why)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
  },
  { part: "cycles", width: 8, sql: "INSERT OR REPLACE INTO cycles VALUES (?, ?, ?, ?, ?, ?, ?, ?)" },
  { part: "blind", width: 3, sql: "INSERT INTO blind (from_at, to_at, cause) VALUES (?, ?, ?)" },
  {
    part: "incidents",
    width: 9,
    sql: `INSERT INTO incidents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
      subject = excluded.subject, kind = excluded.kind, opened_at = excluded.opened_at,
      resolved_at = excluded.resolved_at, spoken_for_by = excluded.spoken_for_by,
      of_interest = excluded.of_interest, body = excluded.body, host = excluded.host`,
  },
  {
    part: "deliveries",
    width: 6,
    sql: `INSERT INTO deliveries VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
      channel = excluded.channel, incident = excluded.incident, created_at = excluded.created_at,
      state = excluded.state, body = excluded.body`,
  },
  {
    part: "recoveries",
    width: 5,
    sql: `INSERT INTO recoveries VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
      agent = excluded.agent, planned_at = excluded.planned_at, counts = excluded.counts, body = excluded.body`,
  },
  {
    part: "runs",
    width: 4,
    sql: `INSERT INTO runs VALUES (?, ?, ?, ?) ON CONFLICT (action, id) DO UPDATE SET
      due_at = excluded.due_at, body = excluded.body`,
  },
  {
    part: "issues",
    width: 6,
    sql: `INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
      agent = excluded.agent, month = excluded.month, created_at = excluded.created_at, closed = excluded.closed, body = excluded.body`,
  },
  {
    part: "records",
    width: 6,
    sql: `INSERT INTO records VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET
      at = excluded.at, about = excluded.about, current = excluded.current, body = excluded.body`,
  },
  { part: "mark", width: 3, sql: "INSERT OR REPLACE INTO mark VALUES (1, ?, ?, ?)" },
  {
    part: "flushed",
    width: 1,
    sql: "INSERT OR REPLACE INTO reached SELECT ?, coalesce(max(seq), 0) FROM beats",
  },
];

/** Numbers a commit. The newest is never deleted, so that the next number is always greater. */
export const NUMBER = `INSERT INTO commits (ids, changed)
  SELECT ? + coalesce((SELECT ids FROM commits ORDER BY number DESC LIMIT 1), 0), ?`;

/** Forgets the oldest commits. */
export const FORGET_COMMITS = `DELETE FROM commits WHERE number < (SELECT number FROM commits
  WHERE ids > (SELECT ids FROM commits ORDER BY number DESC LIMIT 1) - ${REMEMBERED_IDS} ORDER BY number LIMIT 1)`;

const INDEXED = "coalesce((SELECT seq FROM reached WHERE what = 'indexed'), 0)";

/** Brings the index of beats up to date. In its own order, so that the beats of one agent share a page. */
export const INDEX = `INSERT INTO beats_by_agent SELECT agent, received_at, seq FROM beats
    WHERE seq > ${INDEXED} ORDER BY agent, received_at, seq;
  INSERT OR REPLACE INTO reached SELECT 'indexed', coalesce(max(seq), 0) FROM beats`;

export const READS = {
  agents: "SELECT body FROM agents",
  onRoll: "SELECT 1 FROM agents WHERE id = ?",
  roll: `SELECT ${ROLL} FROM roll`,
  blind: `SELECT from_at, to_at, cause FROM
    (SELECT * FROM blind ORDER BY from_at DESC, seq DESC LIMIT ${BLIND_SPANS}) ORDER BY from_at, seq`,
  newestCycles: `SELECT ${CYCLE} FROM agents JOIN cycles ON cycles.agent = agents.id AND number =
    (SELECT number FROM cycles WHERE agent = agents.id ORDER BY began_at DESC, number DESC LIMIT 1)`,
  agent: "SELECT body FROM agents WHERE id = ?",
  entry: `SELECT ${ROLL} FROM roll WHERE agent = ?`,
  newestCycle: `SELECT ${CYCLE} FROM cycles WHERE agent = ?1 AND EXISTS (SELECT 1 FROM agents WHERE id = ?1)
    ORDER BY began_at DESC, number DESC LIMIT 1`,
  openRuns: `SELECT ${RECORD} FROM records WHERE kind = 'ping-run' AND about = ? AND current = 1 ORDER BY at, id`,
  unflushedOf: `SELECT body FROM beats
    WHERE seq > coalesce((SELECT seq FROM reached WHERE what = 'settled'), 0) AND agent = ? ORDER BY seq`,
  mark: "SELECT at, uptime, boot_id FROM mark",
  unflushed: `SELECT body FROM beats
    WHERE seq > coalesce((SELECT seq FROM reached WHERE what = 'settled'), 0) ORDER BY seq`,
  beats: `SELECT body FROM (
      SELECT * FROM (SELECT received_at, seq FROM beats_by_agent WHERE agent = ?1 AND received_at < ?2
        ORDER BY received_at DESC, seq DESC LIMIT ?3 + ?4)
      UNION ALL
      SELECT received_at, seq FROM beats
        WHERE seq > ${INDEXED} AND agent = ?1 AND received_at < ?2
    ) AS found JOIN beats USING (seq) ORDER BY found.received_at DESC, found.seq DESC LIMIT ?3 OFFSET ?4`,
  flips: `SELECT ${FLIP} FROM flips
    WHERE agent = ? AND at < ? ORDER BY at DESC, seq DESC LIMIT ? OFFSET ?`,
  // Along the index of each agent: one by time alone would cost every flip a page.
  flipsSince: `SELECT ${FLIP} FROM flips
    WHERE agent = ? AND at >= ? ORDER BY at DESC, seq DESC LIMIT ?`,
  flipPoints: `SELECT at, from_state, to_state FROM flips
    WHERE agent = ? AND at >= ? AND at < ? ORDER BY at, seq`,
  // Along the index alone: a beat's body is not read.
  beatCounts: `SELECT CAST((received_at - ?2) / ?4 AS INTEGER) AS part, count(*) FROM (
      SELECT received_at FROM beats_by_agent WHERE agent = ?1 AND received_at >= ?2 AND received_at < ?3
      UNION ALL
      SELECT received_at FROM beats
        WHERE seq > ${INDEXED} AND agent = ?1 AND received_at >= ?2 AND received_at < ?3
    ) GROUP BY part`,
  incidents: "SELECT body FROM incidents WHERE of_interest = 1 ORDER BY opened_at, id",
  deliveries: `SELECT body FROM deliveries WHERE ${UNDER_WAY} ORDER BY created_at, key`,
  underWay: `SELECT count(*) FROM deliveries WHERE ${UNDER_WAY}`,
  recoveries: "SELECT body FROM recoveries WHERE counts = 1 ORDER BY planned_at, id",
  records: `SELECT ${RECORD} FROM records WHERE current = 1 ORDER BY kind, at, id`,
  commits: "SELECT coalesce(min(number), 1), coalesce(max(number), 0) FROM commits",
  changesSince: "SELECT number, changed FROM commits WHERE number > ? ORDER BY number LIMIT ?",
  cycles: `SELECT ${CYCLE} FROM cycles WHERE agent = ? AND began_at < ?
    ORDER BY began_at DESC, number DESC LIMIT ? OFFSET ?`,
} as const;

/**
 * Pruning walks each table agent by agent along the index that reading needs anyway: an index by time alone
 * would cost every beat a page. Each deletes a bounded number of rows of one agent.
 */
export const PRUNES = [
  {
    counts: "beats",
    by: "beats",
    next: "SELECT agent FROM beats_by_agent WHERE agent > ? ORDER BY agent LIMIT 1",
    remove: `DELETE FROM beats WHERE seq IN
      (SELECT seq FROM beats_by_agent WHERE agent = ? AND received_at < ? ORDER BY received_at, seq LIMIT ?)
      AND seq < (SELECT max(seq) FROM beats)`,
  },
  {
    counts: "flips",
    by: "flips",
    next: "SELECT agent FROM flips WHERE agent > ? ORDER BY agent LIMIT 1",
    remove: `DELETE FROM flips WHERE seq IN
      (SELECT seq FROM flips WHERE agent = ? AND at < ? ORDER BY at LIMIT ?)`,
  },
  {
    counts: undefined,
    by: "beats",
    next: "SELECT agent FROM cycles WHERE agent > ? ORDER BY agent LIMIT 1",
    // The newest cycle of an agent on the roll stays, however old: a watcher starts from it.
    remove: `DELETE FROM cycles WHERE agent = ?1 AND number IN
      (SELECT number FROM cycles WHERE agent = ?1 AND began_at < ?2 AND last_at < ?2 AND NOT (
         EXISTS (SELECT 1 FROM agents WHERE id = ?1) AND number =
           (SELECT number FROM cycles WHERE agent = ?1 ORDER BY began_at DESC, number DESC LIMIT 1))
       LIMIT ?3)`,
  },
  over("incidents", "subject", "opened_at", "of_interest = 0"),
  over("deliveries", "channel", "created_at", `NOT ${UNDER_WAY}`),
  over("recoveries", "agent", "planned_at", "counts = 0"),
  over("runs", "action", "due_at", "true"),
  over("issues", "agent", "created_at", "closed = 1"),
  over("records", "kind", "at", "current = 0"),
] as const;

export const PRUNE_BLIND = "DELETE FROM blind WHERE from_at < ?1 AND to_at < ?1";

/** What is over and old, along the index by `group` and time. */
function over(table: TableName, group: string, at: string, isOver: string) {
  return {
    counts: undefined,
    by: "flips",
    next: `SELECT ${group} FROM ${table} WHERE ${group} > ? ORDER BY ${group} LIMIT 1`,
    remove: `DELETE FROM ${table} WHERE rowid IN
      (SELECT rowid FROM ${table} WHERE ${group} = ? AND ${at} < ? AND ${isOver} ORDER BY ${at} LIMIT ?)`,
  } as const;
}
