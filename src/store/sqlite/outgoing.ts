import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Instant } from "../../core/duration.ts";
import type { HostFact } from "../../core/host/fact.ts";
import { SPOOL_AGE, SPOOL_BYTES, SPOOL_FREED } from "../../ports/spool-limits.ts";
import type { Calls, Value } from "../kit/protocol.ts";
import { readNumber } from "./connection.ts";

const WIDTH = 4;
const INSERT = "INSERT INTO outgoing (at, kind, agent, body) VALUES (?, ?, ?, ?)";
/** Rows that one look reads: the bytes decide where a batch ends. */
const ROWS = 5_000;

export interface OutgoingTable {
  /** Adds the rows of a commit, inside of its transaction. */
  add(rows: readonly Value[]): void;
  spool(): Calls["spool"]["answer"];
  renew(id: string): void;
  after(ask: Calls["outgoing"]["ask"]): Calls["outgoing"]["answer"];
  forget(ask: Calls["forgetOutgoing"]["ask"]): void;
}

/** The facts for the hub. A new entry of an agent replaces one that the hub has not acknowledged. */
export function outgoingTable(db: DatabaseSyncInstance): OutgoingTable {
  const insert = db.prepare(INSERT);
  const supersede = db.prepare(
    "DELETE FROM outgoing WHERE kind = 'entry' AND agent = ? AND seq > (SELECT acked FROM spool)",
  );
  const read = db.prepare("SELECT seq, body FROM outgoing WHERE seq > ? ORDER BY seq LIMIT ?");
  const drop = (what: string, until: string): number =>
    Number(
      db
        .prepare(
          `DELETE FROM outgoing WHERE seq IN (SELECT seq FROM (SELECT seq,
            sum(length(body)) OVER (ORDER BY seq) AS sum FROM outgoing WHERE ${what}) WHERE ${until})`,
        )
        .run().changes,
    );
  const bytes = () => readNumber(db, "SELECT bytes FROM spool");
  const unacked = "seq > (SELECT acked FROM spool)";

  /** Acknowledged facts go first, then entries, then the oldest of all: the hub is told how many it will not hear. */
  const makeRoom = (now: Instant): void => {
    drop(`at < ${now - SPOOL_AGE} AND NOT (${unacked})`, "true");
    let dropped = drop(`at < ${now - SPOOL_AGE} AND kind <> 'dropped'`, "true");
    if (bytes() > SPOOL_BYTES) {
      const surplus = () => Math.ceil(bytes() - SPOOL_BYTES * (1 - SPOOL_FREED));
      drop(`NOT (${unacked})`, "true");
      if (surplus() > 0) dropped += drop("kind = 'entry'", `sum <= ${surplus()}`);
      if (surplus() > 0) dropped += drop("kind <> 'dropped'", `sum <= ${surplus()}`);
    }
    if (dropped === 0) return;
    const fact: HostFact = { k: "dropped", at: now, count: dropped };
    insert.run(now, fact.k, null, JSON.stringify(fact));
  };

  return {
    add(rows) {
      let now = 0;
      for (let at = 0; at < rows.length; at += WIDTH) {
        const [date, kind, agent, body] = rows.slice(at, at + WIDTH);
        now = Math.max(now, Number(date));
        if (kind === "entry" || kind === "flip") supersede.run(agent);
        insert.run(date, kind, agent, body);
      }
      const oldest = readNumber(
        db,
        "SELECT coalesce(min(at), 0) FROM (SELECT at FROM outgoing ORDER BY seq LIMIT 1)",
      );
      if (bytes() > SPOOL_BYTES || oldest < now - SPOOL_AGE) makeRoom(now);
    },
    spool() {
      const [id, size, acked] = db.prepare("SELECT id, bytes, acked FROM spool").get() as [
        string,
        number,
        number,
      ];
      const last = readNumber(
        db,
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outgoing'",
      );
      const first = readNumber(db, `SELECT coalesce(min(seq), ${last + 1}) FROM outgoing`);
      const facts = readNumber(db, `SELECT count(*) FROM outgoing WHERE ${unacked}`);
      return [id, facts, size, last, acked, Math.min(acked, first - 1)];
    },
    renew(id) {
      db.exec("DELETE FROM outgoing; DELETE FROM sqlite_sequence WHERE name = 'outgoing'");
      db.prepare("UPDATE spool SET id = ?, acked = 0").run(id);
    },
    after({ after, bytes: most }) {
      const found: [number, string][] = [];
      let size = 0;
      for (const [seq, body] of read.all(after, ROWS) as [number, string][]) {
        size += body.length;
        if (found.length > 0 && size > most) break;
        found.push([seq, body]);
      }
      return found;
    },
    forget({ upTo, before }) {
      db.prepare("UPDATE spool SET acked = max(acked, ?)").run(upTo);
      // In order, also where the clock was set: so that it is known up to where they are gone.
      db.prepare(
        `DELETE FROM outgoing WHERE seq <= ?1 AND
          seq < (SELECT coalesce(min(seq), ?1 + 1) FROM outgoing WHERE at >= ?2)`,
      ).run(upTo, before);
    },
  };
}
