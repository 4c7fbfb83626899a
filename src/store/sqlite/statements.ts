import type { KeptOf, Part, Value } from "./protocol.ts";

/** How many spans that were not watched a watcher starts from: more than it ever looks back. */
const BLIND_SPANS = 256;

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
    part: "kept",
    width: 6,
    sql: `INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET
      at = excluded.at, about = excluded.about, open = excluded.open, body = excluded.body`,
  },
  { part: "mark", width: 3, sql: "INSERT OR REPLACE INTO mark VALUES (1, ?, ?, ?)" },
  {
    part: "settled",
    width: 1,
    sql: "INSERT OR REPLACE INTO reached SELECT ?, coalesce(max(seq), 0) FROM beats",
  },
];

const INDEXED = "coalesce((SELECT seq FROM reached WHERE what = 'indexed'), 0)";

/** Brings the index of beats up to date. In its own order, so that the beats of one agent share a page. */
export const INDEX = `INSERT INTO beats_by_agent SELECT agent, received_at, seq FROM beats
    WHERE seq > ${INDEXED} ORDER BY agent, received_at, seq;
  INSERT OR REPLACE INTO reached SELECT 'indexed', coalesce(max(seq), 0) FROM beats`;

const CYCLE = "agent, number, began_at, last_at, last_action, ended_at, outcome, incarnation";

export const READS = {
  agents: "SELECT body FROM agents",
  onRoll: "SELECT 1 FROM agents WHERE id = ?",
  roll: `SELECT agent, state, reason, why, at, basis, next, since, observations, last_beat, learnt FROM roll`,
  blind: `SELECT from_at, to_at, cause FROM
    (SELECT * FROM blind ORDER BY from_at DESC, seq DESC LIMIT ${BLIND_SPANS}) ORDER BY from_at, seq`,
  newestCycles: `SELECT ${CYCLE} FROM agents JOIN cycles ON cycles.agent = agents.id AND number =
    (SELECT number FROM cycles WHERE agent = agents.id ORDER BY began_at DESC, number DESC LIMIT 1)`,
  mark: "SELECT at, uptime, boot_id FROM mark",
  unsettled: `SELECT body FROM beats
    WHERE seq > coalesce((SELECT seq FROM reached WHERE what = 'settled'), 0) ORDER BY seq`,
  beats: `SELECT body FROM (
      SELECT * FROM (SELECT received_at, seq FROM beats_by_agent WHERE agent = ?1 AND received_at < ?2
        ORDER BY received_at DESC, seq DESC LIMIT ?3 + ?4)
      UNION ALL
      SELECT received_at, seq FROM beats
        WHERE seq > ${INDEXED} AND agent = ?1 AND received_at < ?2
    ) AS found JOIN beats USING (seq) ORDER BY found.received_at DESC, found.seq DESC LIMIT ?3 OFFSET ?4`,
  flips: `SELECT agent, at, noticed_at, from_state, to_state, reason, why FROM flips
    WHERE agent = ? AND at < ? ORDER BY at DESC, seq DESC LIMIT ? OFFSET ?`,
  // Along the index of each agent: one by time alone would cost every flip a page.
  flipsSince: `SELECT agent, at, noticed_at, from_state, to_state, reason, why FROM flips
    WHERE agent = ? AND at >= ? ORDER BY at DESC, seq DESC LIMIT ?`,
  open: "SELECT kind, id, at, about, open, body FROM kept WHERE open = 1 ORDER BY kind, at, id",
  one: "SELECT kind, id, at, about, open, body FROM kept WHERE kind = ? AND id = ?",
  cycles: `SELECT ${CYCLE} FROM cycles WHERE agent = ? AND began_at < ?
    ORDER BY began_at DESC, number DESC LIMIT ? OFFSET ?`,
} as const;

/** A page of what is kept, and the values that it takes, in their order. */
export function keptPage({ kind, before, beforeId, limit, about, open, idPrefix, where }: KeptOf): {
  readonly sql: string;
  readonly values: readonly Value[];
} {
  const terms = ["kind = ?"];
  const values: Value[] = [kind];
  const add = (term: string, ...more: readonly Value[]) => {
    terms.push(term);
    values.push(...more);
  };
  // The few of one prefix are found by their id, and then sorted; all others along an index by time.
  const [at, id] = idPrefix === null ? ["at", "id"] : ["+at", "+id"];
  if (idPrefix !== null) add("id >= ? AND id < ?", idPrefix, `${idPrefix}\u{10ffff}`);
  add(`(${at}, ${id}) < (?, ?)`, before, beforeId);
  if (about !== null) add("about = ?", about);
  if (open) add("open = 1");
  for (const [field, wanted] of Object.entries(where)) {
    if (wanted === true) add("body ->> ? IS NOT NULL", field);
    else add("body ->> ? IS ?", field, wanted);
  }
  values.push(limit);
  return {
    sql: `SELECT kind, id, at, about, open, body FROM kept WHERE ${terms.join(" AND ")}
      ORDER BY ${at} DESC, ${id} DESC LIMIT ?`,
    values,
  };
}

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
  {
    counts: undefined,
    by: "flips",
    next: "SELECT kind FROM kept WHERE kind > ? ORDER BY kind LIMIT 1",
    remove: `DELETE FROM kept WHERE rowid IN
      (SELECT rowid FROM kept WHERE kind = ? AND at < ? AND open = 0 ORDER BY at, id LIMIT ?)`,
  },
] as const;

export const PRUNE_BLIND = "DELETE FROM blind WHERE from_at < ?1 AND to_at < ?1";
