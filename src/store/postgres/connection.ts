import pg from "pg";
import { type Millis, SECOND } from "../../core/duration.ts";
import { LostAnswerError } from "./problems.ts";

/** How long the server may take to answer a connection, and a statement. Without them a cut network hangs for ever. */
const CONNECT_WITHIN: Millis = 5 * SECOND;
const ANSWER_WITHIN: Millis = 10 * SECOND;

export type PgRow = readonly unknown[];

/** One statement. A name makes the server keep its plan for as long as the connection lasts. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
  /** For statements that may take longer. */
  readonly within?: Millis;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly readOnly?: boolean | undefined;
  readonly answerWithin?: Millis | undefined;
  /** It is of no more use. */
  readonly onEnd?: (() => void) | undefined;
}

/**
 * One connection with time-outs everywhere. After an error that leaves the answer open it is of no more use and must be
 * replaced: a late answer would be taken for that of the next statement.
 */
export class PgConnection {
  readonly #client: pg.Client;
  readonly #answerWithin: Millis;
  readonly #onEnd: (() => void) | undefined;
  #broken: Error | undefined;

  private constructor(client: pg.Client, answerWithin: Millis, onEnd: (() => void) | undefined) {
    this.#client = client;
    this.#answerWithin = answerWithin;
    this.#onEnd = onEnd;
    client.on("error", (error) => this.#break(error));
    client.on("end", () => this.#break(new Error("the connection was closed")));
  }

  static async open({
    url,
    readOnly,
    answerWithin = ANSWER_WITHIN,
    onEnd,
  }: ConnectionOptions): Promise<PgConnection> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: Math.min(CONNECT_WITHIN, answerWithin),
      keepAlive: true,
      application_name: "rollcall",
      types: { getTypeParser },
    });
    const connection = new PgConnection(client, answerWithin, onEnd);
    try {
      await client.connect();
      if (readOnly === true) await connection.run({ text: "SET default_transaction_read_only = on" });
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  async run({ text, values = [], name, within = this.#answerWithin }: Statement): Promise<PgRow[]> {
    if (this.#broken !== undefined) throw this.#broken;
    const query = { text, values: [...values], rowMode: "array" as const, query_timeout: within };
    try {
      const { rows } = await this.#client.query<PgRow[]>(name === undefined ? query : { ...query, name });
      return rows;
    } catch (error) {
      const isTimeout = error instanceof Error && error.message === "Query read timeout";
      if (!isTimeout) throw error;
      const lost = new LostAnswerError(`no answer within ${within / SECOND} s`);
      this.#break(lost);
      this.destroy();
      throw lost;
    }
  }

  /** How many rows a statement changed. */
  async count(statement: Statement): Promise<number> {
    const [row] = await this.run({
      ...statement,
      text: `WITH changed AS (${statement.text} RETURNING 1) SELECT count(*)::int4 FROM changed`,
    });
    return Number(row?.[0] ?? 0);
  }

  /** Several statements as one. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run({ text: "BEGIN" });
    try {
      const done = await work();
      await this.run({ text: "COMMIT" });
      return done;
    } catch (error) {
      if (!this.isBroken) await this.run({ text: "ROLLBACK" }).catch(() => this.destroy());
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#broken !== undefined) return this.destroy();
    const ended = this.#client.end().catch(() => {});
    const timer = setTimeout(() => this.destroy(), CONNECT_WITHIN);
    await ended;
    clearTimeout(timer);
  }

  /** Ends it without a word to the server, which may not hear it. */
  destroy(): void {
    this.#break(new Error("the connection was given up"));
    const { stream } = (this.#client as unknown as { connection: { stream: { destroy(): void } } })
      .connection;
    stream.destroy();
  }

  #break(error: Error): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    this.#onEnd?.();
  }
}

const INT8 = 20;

/** Numbers as numbers: ours stay far below 2^53. */
function getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");
}
