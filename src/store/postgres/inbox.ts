import type { Token } from "../../core/access/token.ts";
import { type Millis, SECOND } from "../../core/duration.ts";
import type { KnownHost } from "../../core/host/host.ts";
import type { HostNumber, Inbox, InboxEntry, InboxPut, InboxRow, StoredHost } from "../../ports/inbox.ts";
import { arrayOf } from "./array.ts";
import { AskedInTurn } from "./asked-in-turn.ts";
import { ageOf, numberIn } from "./reads.ts";

const ANSWER_WITHIN: Millis = 5 * SECOND;

/**
 * One statement puts everything there. It writes the head first and holds that row until it is committed: so numbers are in
 * the order of commits, and whoever reads up to a number has all before it. A sequence would not promise that.
 *
 * A batch is kept only if its host's row is where the batch begins. That row is what makes each fact count once, whichever
 * hub its host speaks to, and however often it says the same.
 */
const PUT = `WITH head AS (UPDATE inbox_head SET no = no + 1 WHERE access = $1::int8 RETURNING no),
  asked AS (SELECT * FROM unnest($2::text[], $3::text[], $4::int8[], $5::int8[], $6::text[]) AS t(host, spool, first, up_to, body)),
  taken AS (UPDATE intake SET acked = asked.up_to FROM asked, head
    WHERE intake.host = asked.host AND intake.spool = asked.spool AND intake.acked = asked.first
    RETURNING intake.host, asked.body),
  learnt AS (INSERT INTO intake SELECT t.* FROM head, unnest($7::text[], $8::text[], $9::int8[]) AS t
    ON CONFLICT (host) DO UPDATE SET spool = excluded.spool, acked = excluded.acked
    WHERE intake.spool <> excluded.spool OR intake.acked < excluded.acked),
  kept AS (INSERT INTO inbox (no, at, body, batches)
    SELECT head.no, clock_timestamp(), $10::text, coalesce((SELECT string_agg(body, ',') FROM taken), '') FROM head)
  SELECT head.no, (SELECT array_agg(host) FROM taken) FROM head`;

/** The same where hosts told nothing, as most puts are: the server needs a fifth less time for it. */
const PUT_BEATS = `WITH head AS (UPDATE inbox_head SET no = no + 1 WHERE access = $1::int8 RETURNING no),
  kept AS (INSERT INTO inbox (no, at, body, batches) SELECT no, clock_timestamp(), $2::text, '' FROM head)
  SELECT no FROM head`;

/** The inbox on PostgreSQL, over a connection of its own. */
export class PostgresInbox implements Inbox {
  readonly #asked: AskedInTurn;

  constructor(url: string) {
    this.#asked = new AskedInTurn(url, ANSWER_WITHIN);
  }

  id(): Promise<string> {
    return this.#asked.do(async (connection) => {
      const [row] = await connection.run({ text: "SELECT id FROM inbox_head" });
      return String(row?.[0]);
    });
  }

  put({ beats, batches, marks, learnt, access }: InboxPut): Promise<ReadonlySet<string> | undefined> {
    return this.#asked.do(async (connection) => {
      if (batches.length + learnt.length === 0) {
        const values = [access, JSON.stringify({ beats, marks })];
        const [row] = await connection.run({ name: "rollcall-put-beats", text: PUT_BEATS, values });
        return row && new Set();
      }
      const [row] = await connection.run({
        name: "rollcall-put",
        text: PUT,
        values: [
          access,
          arrayOf(
            batches.map(({ host }) => host),
            "text",
          ),
          arrayOf(
            batches.map(({ spool }) => spool),
            "text",
          ),
          arrayOf(
            batches.map(({ from }) => from),
            "int8",
          ),
          arrayOf(
            batches.map(({ from, upTo = from }) => upTo),
            "int8",
          ),
          arrayOf(
            batches.map((batch) => JSON.stringify(batch)),
            "text",
          ),
          ...numbersOf(learnt),
          JSON.stringify({ beats, marks }),
        ],
      });
      return row && new Set((row[1] as string[] | null) ?? []);
    });
  }

  access(): Promise<number> {
    return this.#asked.do(async (connection) =>
      numberIn(await connection.run({ text: "SELECT access FROM inbox_head" })),
    );
  }

  hostOf(token: string): Promise<StoredHost | undefined> {
    return this.#asked.do(async (connection) => {
      const [row] = await connection.run({
        name: "rollcall-host",
        text: `SELECT t.body, h.body, i.spool, i.acked FROM records t
          JOIN records h ON h.kind = 'host' AND h.id = t.body::json->>'host' AND h.current = 1
          LEFT JOIN intake i ON i.host = h.id WHERE t.kind = 'token' AND t.id = $1 AND t.current = 1`,
        values: [token],
      });
      if (row === undefined) return undefined;
      const { hash } = JSON.parse(String(row[0])) as Token;
      const host = JSON.parse(String(row[1])) as KnownHost;
      const { name, spool = "", boot = "", version } = host;
      if (host.token !== token) return undefined;
      // What hubs have taken since, and the owner has not heard.
      const acked = Math.max(host.acked, row[2] === spool ? Number(row[3]) : 0);
      return { host: name, hash, spool, boot, version, acked };
    });
  }

  stale(known: readonly HostNumber[]): Promise<readonly string[]> {
    return this.#asked.do(async (connection) => {
      const rows = await connection.run({
        name: "rollcall-stale",
        text: `SELECT t.host FROM unnest($1::text[], $2::text[], $3::int8[]) AS t(host, spool, acked)
          LEFT JOIN intake USING (host) WHERE intake.spool IS DISTINCT FROM t.spool OR intake.acked <> t.acked`,
        values: numbersOf(known),
      });
      return rows.map(([host]) => String(host));
    });
  }

  after(number: number, limit: number): Promise<readonly InboxRow[]> {
    return this.#asked.do(async (connection) => {
      const rows = await connection.run({
        name: "rollcall-inbox",
        text: `SELECT no, ${ageOf("at")}, body, batches FROM inbox WHERE no > $1 ORDER BY no LIMIT $2`,
        values: [number, limit],
      });
      return rows.map(([no, age, body, batches]) => ({
        number: Number(no),
        age: Math.max(0, Number(age)),
        ...(JSON.parse(String(body)) as Pick<InboxEntry, "beats" | "marks">),
        batches: JSON.parse(`[${String(batches)}]`) as InboxEntry["batches"],
      }));
    });
  }

  done(upTo: number): Promise<void> {
    return this.#asked.do(async (connection) => {
      // Compared with what is stored: a standby that was promoted too early may have lost the commit that heard them.
      await connection.run({
        name: "rollcall-heard",
        // Nobody waits for the disk: rows that a crash brings back have been heard, and are deleted with the next ones.
        text: `DELETE FROM inbox USING (SELECT set_config('synchronous_commit', 'off', true)) AS unwaited WHERE no <= $1::int8
          AND no <= (SELECT (body::json->>'number')::int8 FROM records WHERE kind = 'inbox' AND id = (SELECT id FROM inbox_head))`,
        values: [upTo],
      });
    });
  }

  forget(hosts: readonly string[]): Promise<void> {
    return this.#asked.do(async (connection) => {
      await connection.run({ text: "DELETE FROM intake WHERE host = ANY($1::text[])", values: [[...hosts]] });
    });
  }

  changeAccess(): Promise<void> {
    return this.#asked.do(async (connection) => {
      await connection.run({ text: "UPDATE inbox_head SET access = access + 1" });
    });
  }

  close(): Promise<void> {
    return this.#asked.close();
  }
}

function numbersOf(known: readonly HostNumber[]): unknown[] {
  return [
    arrayOf(
      known.map(({ host }) => host),
      "text",
    ),
    arrayOf(
      known.map(({ spool }) => spool),
      "text",
    ),
    arrayOf(
      known.map(({ acked }) => acked),
      "int8",
    ),
  ];
}
