import { DAY, type Millis, SECOND } from "../../core/duration.ts";
import type { HubCard, HubCircle, KnownHub, Ownership } from "../../ports/hubs.ts";
import { AskedInTurn } from "./asked-in-turn.ts";
import type { PgRow } from "./connection.ts";
import { leaseState } from "./lease.ts";
import { migrate } from "./migrate.ts";
import { ageOf } from "./reads.ts";

/** Whoever waits for its turn must notice soon that the server does not answer. */
const ANSWER_WITHIN: Millis = 3 * SECOND;
/** Hubs that were not heard of for so long are forgotten. */
const FORGET: Millis = DAY;

export const HUBS = `SELECT id, url, address, certificate, key, version, (1000 * extract(epoch FROM started))::float8,
  ${ageOf("seen")}, clock FROM hubs ORDER BY id`;

/** The hubs on one database, over a connection of their own that is opened anew when it breaks. */
export class PostgresCircle implements HubCircle {
  readonly #asked: AskedInTurn;

  private constructor(url: string) {
    this.#asked = new AskedInTurn(url, ANSWER_WITHIN);
  }

  /** Throws if the database cannot be reached or used. */
  static async open(url: string): Promise<PostgresCircle> {
    const circle = new PostgresCircle(url);
    await circle.#asked.do((connection) => migrate(connection, circle.#asked.where));
    return circle;
  }

  greet(card: HubCard): Promise<readonly KnownHub[]> {
    const { id, url, address, certificate = null, key, version } = card;
    return this.#asked.do(async (connection) => {
      // The time that the statement takes on its way is part of what we measure: it is short, or of no use.
      await connection.run({
        name: "rollcall-greet",
        text: `WITH gone AS (DELETE FROM hubs WHERE id <> $1 AND seen < clock_timestamp() - interval '${FORGET / SECOND} s')
          INSERT INTO hubs (id, url, address, certificate, key, version, clock, started, seen)
          VALUES ($1, $2, $3, $4, $5, $6, $7::float8 - 1000 * extract(epoch FROM clock_timestamp()), clock_timestamp(), clock_timestamp())
          ON CONFLICT (id) DO UPDATE SET url = excluded.url, address = excluded.address, certificate = excluded.certificate,
            key = excluded.key, version = excluded.version, clock = excluded.clock, seen = excluded.seen`,
        values: [id, url, address, certificate, key, version, Date.now()],
      });
      return (await connection.run({ name: "rollcall-hubs", text: HUBS })).map(hubOf);
    });
  }

  ownership(): Promise<Ownership> {
    return this.#asked.do((connection) => leaseState(connection, 0));
  }

  share(name: string, value: string): Promise<string> {
    return this.#asked.do(async (connection) => {
      await connection.run({
        text: "INSERT INTO shared VALUES ($1, $2) ON CONFLICT DO NOTHING",
        values: [name, value],
      });
      const [row] = await connection.run({
        text: "SELECT value FROM shared WHERE name = $1",
        values: [name],
      });
      return String(row?.[0]);
    });
  }

  leave(id: string): Promise<void> {
    return this.#asked.do(async (connection) => {
      await connection.run({ text: "DELETE FROM hubs WHERE id = $1", values: [id] });
    });
  }

  close(): Promise<void> {
    return this.#asked.close();
  }
}

export function hubOf(row: PgRow): KnownHub {
  const [id, url, address, certificate, key, version, startedAt, seen, clockAhead] = row;
  return {
    ...{
      id: String(id),
      url: String(url),
      address: String(address),
      key: String(key),
      version: String(version),
    },
    ...(certificate === null ? {} : { certificate: String(certificate) }),
    ...{ startedAt: Number(startedAt), seen: Number(seen), clockAhead: Number(clockAhead) },
  };
}
