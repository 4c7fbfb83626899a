import { MINUTE } from "../../core/duration.ts";
import type { AskedDatabase, Calls } from "../kit/protocol.ts";
import { PgConnection } from "./connection.ts";
import { BEATS_BY_AGENT, KnownDays, NO_TABLE } from "./days.ts";
import { PART } from "./lease.ts";

/**
 * Commits that are taken into the index at once. Each time the server reads all pages that it has not summarized yet, so a flush
 * of a busy store is better one slice than many.
 */
const SLICE = 20_000;

const ROWS = "part, agent, received_at, no, ord, day, id";

/** In its own order, so that the beats of one agent share a page. Of two processes one finds the number that it expects. */
const INDEX = `WITH f AS (UPDATE beats_indexed SET no = $3::int8 WHERE part = $1 AND no = $2::int8 RETURNING 1)
  INSERT INTO beats_by_agent (${ROWS}) SELECT ${ROWS} FROM beats
  WHERE part = $1 AND no > $2::int8 AND no <= $3::int8 AND EXISTS (SELECT 1 FROM f) ORDER BY agent, received_at`;

/** The same for everything, in a database that only this process writes. */
export const INDEX_ALL = `WITH f AS (UPDATE beats_indexed SET no = $2::int8 WHERE part = $1)
  INSERT INTO beats_by_agent (${ROWS}) SELECT ${ROWS} FROM beats WHERE part = $1 ORDER BY agent, received_at`;

/** There is no table for the day of a row. */
function isWithoutTable(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === NO_TABLE;
}

/** Makes the tables for the days of these beats. */
export async function ensureIndexTables(
  connection: PgConnection,
  days: KnownDays,
  after = Number.MIN_SAFE_INTEGER,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const found = await connection.run({
    text: "SELECT DISTINCT day FROM beats WHERE part = $1 AND no > $2 AND no <= $3",
    values: [PART, after, upTo],
    within: 10 * MINUTE,
  });
  await days.ensure(
    connection,
    BEATS_BY_AGENT,
    found.map(([day]) => Number(day)),
  );
}

/**
 * Brings the table `beats_by_agent` up to date after a flushed commit. It has a connection of its own, so no commit waits for
 * it. What it does not manage, it does the next time; until then readers look at the beats themselves.
 */
export class BeatIndex implements AskedDatabase {
  readonly #database: AskedDatabase;
  readonly #url: string;
  readonly #days = new KnownDays();
  #connection: PgConnection | undefined;
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: AskedDatabase, url: string) {
    this.#database = database;
    this.#url = url;
  }

  async ask<C extends keyof Calls>(call: C, ask: Calls[C]["ask"]): Promise<Calls[C]["answer"]> {
    const answer = await this.#database.ask(call, ask);
    if (call === "commit" && (ask as Calls["commit"]["ask"]).flushed !== undefined)
      this.#work ??= this.#catchUp()
        .catch(() => this.#connection?.destroy())
        .finally(() => {
          this.#work = undefined;
        });
    return answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // First, so that another hub can take over at once.
    await this.#database.close();
    if (this.#work === undefined) await this.#connection?.close();
    else this.#connection?.destroy();
    await this.#work;
  }

  async #catchUp(): Promise<void> {
    if (this.#connection?.isBroken !== false) this.#connection = await PgConnection.open({ url: this.#url });
    const connection = this.#connection;
    const [reached] = await connection.run({
      text: "SELECT i.no, p.no FROM beats_indexed i JOIN partitions p ON p.id = i.part WHERE p.id = $1",
      values: [PART],
    });
    const [from = 0, last = 0] = (reached ?? []) as readonly number[];
    // Commits that come meanwhile are left for the next flush: a busy store would otherwise be read again for every few of them.
    for (let after = from; after < last && !this.#isClosed; after += SLICE) {
      const upTo = Math.min(last, after + SLICE);
      const index = () => connection.run({ text: INDEX, values: [PART, after, upTo], within: MINUTE });
      await index().catch(async (error: unknown) => {
        if (!isWithoutTable(error)) throw error;
        await ensureIndexTables(connection, this.#days, after, upTo);
        await index();
      });
    }
  }
}
