import type { Instant } from "../../core/duration.ts";
import type { HostFact } from "../../core/host/fact.ts";
import { SPOOL_AGE, SPOOL_BYTES, SPOOL_FREED } from "../../ports/spool-limits.ts";
import type { Calls } from "../kit/protocol.ts";
import type { PgConnection } from "./connection.ts";
import { numberIn } from "./reads.ts";

/** Rows that one look reads: the bytes decide where a batch ends. */
const ROWS = 5_000;

const UNACKED = "seq > (SELECT spool_acked FROM partitions WHERE id = $1)";

/** The facts for the hub. Commits add to them in their own statement. */
export class OutgoingRows {
  readonly #part: number;
  /** What waits, as far as we know: it is looked up before anything is dropped. */
  #known: { bytes: number; oldest: Instant } | undefined;

  constructor(part: number) {
    this.#part = part;
  }

  /** Something else than a commit has changed the table. */
  forgetSize(): void {
    this.#known = undefined;
  }

  async spool(connection: PgConnection): Promise<Calls["spool"]["answer"]> {
    const [row] = await connection.run({
      text: `SELECT spool, (SELECT count(*) FROM outgoing WHERE part = id AND seq > spool_acked),
          (SELECT coalesce(sum(size), 0)::int8 FROM outgoing WHERE part = id), spool_last, spool_acked,
          least(spool_acked, (SELECT coalesce(min(seq), spool_last + 1) - 1 FROM outgoing WHERE part = id))
        FROM partitions WHERE id = $1`,
      values: [this.#part],
    });
    return (row ?? ["", 0, 0, 0, 0, 0]) as unknown as Calls["spool"]["answer"];
  }

  async renew(connection: PgConnection, epoch: number, id: string): Promise<null> {
    await connection.run({
      text: `WITH f AS (UPDATE partitions SET spool = $3, spool_last = 0, spool_acked = 0
        WHERE id = $1 AND epoch = $2 RETURNING id) DELETE FROM outgoing USING f WHERE part = f.id`,
      values: [this.#part, epoch, id],
    });
    this.forgetSize();
    return null;
  }

  async after(
    connection: PgConnection,
    { after, bytes }: Calls["outgoing"]["ask"],
  ): Promise<Calls["outgoing"]["answer"]> {
    const rows = await connection.run({
      text: `SELECT seq, body FROM (SELECT seq, size, body, sum(size) OVER (ORDER BY seq) AS so_far FROM
          (SELECT seq, size, body FROM outgoing WHERE part = $1 AND seq > $2 ORDER BY seq LIMIT ${ROWS}) AS first) AS summed
        WHERE so_far <= $3 OR so_far = size ORDER BY seq`,
      values: [this.#part, after, bytes],
    });
    return rows as unknown as Calls["outgoing"]["answer"];
  }

  /** In order, also where the clock was set: so that it is known up to where they are gone. */
  async forget(connection: PgConnection, epoch: number, ask: Calls["forgetOutgoing"]["ask"]): Promise<null> {
    await connection.run({
      text: `WITH f AS (UPDATE partitions SET spool_acked = greatest(spool_acked, $3::int8)
        WHERE id = $1 AND epoch = $2 RETURNING id)
        DELETE FROM outgoing USING f WHERE part = f.id AND seq <= $3::int8 AND
          seq < (SELECT coalesce(min(o.seq), $3::int8 + 1) FROM outgoing o WHERE o.part = $1 AND o.at >= $4)`,
      values: [this.#part, epoch, ask.upTo, ask.before],
    });
    this.forgetSize();
    return null;
  }

  /** After a commit that added facts: drops what is too much or too old, and a fact says how many. */
  async limit(
    connection: PgConnection,
    epoch: number,
    added: { bytes: number; newest: Instant },
  ): Promise<void> {
    const known = this.#known;
    if (known !== undefined) known.bytes += added.bytes;
    const size = known ?? (await this.#size(connection));
    this.#known = size;
    if (size.bytes <= SPOOL_BYTES && size.oldest >= added.newest - SPOOL_AGE) return;
    await connection.transaction(() => this.#makeRoom(connection, epoch, added.newest));
    this.forgetSize();
  }

  async #size(connection: PgConnection): Promise<{ bytes: number; oldest: Instant }> {
    const [row] = await connection.run({
      text: `SELECT coalesce(sum(size), 0)::int8,
        coalesce((SELECT at FROM outgoing WHERE part = $1 ORDER BY seq LIMIT 1), 'infinity') FROM outgoing WHERE part = $1`,
      values: [this.#part],
    });
    return { bytes: Number(row?.[0] ?? 0), oldest: Number(row?.[1] ?? 0) };
  }

  /** Acknowledged facts go first, then entries, then the oldest of all: the hub is told how many it will not hear. */
  async #makeRoom(connection: PgConnection, epoch: number, now: Instant): Promise<void> {
    const owned = await connection.run({
      text: "SELECT 1 FROM partitions WHERE id = $1 AND epoch = $2 FOR UPDATE",
      values: [this.#part, epoch],
    });
    if (owned.length === 0) return;
    const drop = (what: string, ...values: number[]) =>
      connection.count({
        text: `DELETE FROM outgoing WHERE part = $1 AND ${what}`,
        values: [this.#part, ...values],
      });
    const dropFirst = (what: string, surplus: number) =>
      drop(
        `seq IN (SELECT seq FROM (SELECT seq, sum(size) OVER (ORDER BY seq) AS so_far
          FROM outgoing WHERE part = $1 AND ${what}) AS summed WHERE so_far <= $2)`,
        surplus,
      );
    await drop(`at < $2 AND NOT (${UNACKED})`, now - SPOOL_AGE);
    let dropped = await drop("at < $2 AND kind <> 'dropped'", now - SPOOL_AGE);
    const surplus = async () =>
      Math.ceil((await this.#size(connection)).bytes - SPOOL_BYTES * (1 - SPOOL_FREED));
    if ((await this.#size(connection)).bytes > SPOOL_BYTES) {
      await drop(`NOT (${UNACKED})`);
      for (const what of ["kind = 'entry'", "kind <> 'dropped'"]) {
        const tooMuch = await surplus();
        if (tooMuch > 0) dropped += await dropFirst(what, tooMuch);
      }
    }
    if (dropped === 0) return;
    const fact: HostFact = { k: "dropped", at: now, count: dropped };
    const seq = numberIn(
      await connection.run({
        text: "UPDATE partitions SET spool_last = spool_last + 1 WHERE id = $1 RETURNING spool_last",
        values: [this.#part],
      }),
    );
    await connection.run({
      text: "INSERT INTO outgoing VALUES ($1, $2, $3, $4, NULL, length($5), $5)",
      values: [this.#part, seq, now, fact.k, JSON.stringify(fact)],
    });
  }
}
