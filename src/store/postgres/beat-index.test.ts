import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Beat } from "../../core/beat.ts";
import { DAY, HOUR } from "../../core/duration.ts";
import type { Store } from "../../ports/store.ts";
import { PgConnection } from "./connection.ts";
import { dayOfBeat } from "./days.ts";
import { openPostgres } from "./index.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { type TestServer, testServer, whyNoServer } from "./server.fixture.ts";

const why = whyNoServer();
const T = Date.UTC(2026, 2, 29, 1);
const ALL = { limit: 100_000 };

/** With an id of version 7, which names the day of its table, or with another one. */
function beatAt(at: number, agent: string, id?: string): Beat {
  const hex = at.toString(16).padStart(12, "0");
  const own = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${agent.padStart(12, "0")}`;
  return { id: id ?? own, agent, source: "agent", status: "ok", sentAt: at, receivedAt: at };
}

describe.skipIf(why !== undefined)(
  `The index of beats by agent${why === undefined ? "" : ` (skipped: ${why})`}`,
  () => {
    let server: TestServer;
    let url: string;
    let byHand: pg.Client;
    const stores: Store[] = [];

    beforeAll(async () => {
      server = await testServer();
    });
    afterAll(() => server.stop());
    beforeEach(async () => {
      url = await server.schema();
      byHand = new pg.Client({ connectionString: url });
      await byHand.connect();
    });
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close();
      await byHand.end();
    });

    const open = async () => {
      const store = (await openPostgres({ url, owner: "test" })) as Store;
      stores.push(store);
      return store;
    };
    const ask = async (text: string): Promise<unknown[][]> =>
      (await byHand.query({ text, rowMode: "array" })).rows as unknown[][];
    const indexed = async () => (await ask("SELECT count(*)::int FROM beats_by_agent"))[0]?.[0];
    /** What a reader must get, from whatever is in the index. */
    const expectRead = async (store: Store, kept: readonly Beat[]) => {
      const of = (agent: string) =>
        kept.filter((beat) => beat.agent === agent).toSorted((a, b) => b.receivedAt - a.receivedAt);
      for (const agent of ["allegro", "adagio"]) {
        expect(await store.beats(agent, ALL)).toEqual(of(agent));
        expect(await store.beats(agent, { limit: 3, skip: 2 })).toEqual(of(agent).slice(2, 5));
        const until = T + 2 * HOUR;
        expect(await store.beats(agent, { limit: 2, before: until })).toEqual(
          of(agent)
            .filter(({ receivedAt }) => receivedAt < until)
            .slice(0, 2),
        );
        const counts = await store.beatCounts(agent, { from: T, until: T + 9 * HOUR, width: HOUR });
        expect(counts).toEqual(
          Array.from(
            { length: 9 },
            (_, n) => of(agent).filter(({ receivedAt }) => Math.floor((receivedAt - T) / HOUR) === n).length,
          ),
        );
      }
    };

    it("changes nothing about what is read, before and after it is brought up to date", async () => {
      const store = await open();
      const kept: Beat[] = [];
      const commit = async (flushed: boolean, ...beats: Beat[]) => {
        kept.push(...beats);
        await store.commit(flushed ? { beats, flushed } : { beats });
      };
      await commit(false, beatAt(T, "allegro"), beatAt(T + 1, "adagio"));
      await commit(false, beatAt(T + HOUR, "allegro"), beatAt(T + 90 * 60_000, "allegro", "odd"));
      await expectRead(store, kept);
      expect(await indexed()).toBe(0);
      await commit(true, beatAt(T + 3 * HOUR, "allegro"));
      await expect.poll(indexed).toBe(5);
      await expectRead(store, kept);
      await commit(false, beatAt(T + 2 * HOUR, "allegro"), beatAt(T + 8 * HOUR, "adagio"));
      await expectRead(store, kept);
      await commit(true);
      await expect.poll(indexed).toBe(7);
      await expectRead(store, kept);
      const reader = (await openPostgres({ url })) as Store;
      stores.push(reader);
      await expectRead(reader, kept);
    });

    it("is brought up to the flush, and leaves commits that come meanwhile for the next one", async () => {
      const store = await open();
      await ask("BEGIN");
      // It can be read, but not moved on.
      await ask("LOCK TABLE beats_indexed IN SHARE MODE");
      await store.commit({ beats: [beatAt(T, "allegro")], flushed: true });
      const isWaiting = async () =>
        (await ask("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'beats_indexed'::regclass"))
          .length;
      await expect.poll(isWaiting).toBe(1);
      await store.commit({ beats: [beatAt(T + 1, "allegro")] });
      await ask("COMMIT");
      await expect.poll(indexed).toBe(1);
      for (let question = 0; question < 50; question++) expect(await indexed()).toBe(1);
      await store.commit({ flushed: true });
      await expect.poll(indexed).toBe(2);
    });

    it("goes with the beats that are too old", async () => {
      const store = await open();
      const beats = [0, 1].map((day) => beatAt(T + day * DAY, "allegro"));
      const odd = beatAt(T, "allegro", "odd");
      await store.commit({ beats: [...beats, odd], flushed: true });
      await expect.poll(indexed).toBe(3);
      expect(await store.prune({ beats: T + DAY, flips: 0 })).toEqual({ beats: 2, flips: 0 });
      expect(await indexed()).toBe(1);
      expect(await store.beats("allegro", ALL)).toEqual(beats.slice(1));
    });

    it("is filled by the first start after an update, beside a hub of the version before", async () => {
      const connection = await PgConnection.open({ url });
      await migrate(connection, "here", MIGRATIONS.slice(0, 3));
      await connection.close();
      const kept = [0, 1, 2].map((day) => beatAt(T + day * DAY, "allegro"));
      const put = async (number: number, { id, agent, receivedAt, ...more }: Beat) => {
        const day = dayOfBeat(id, receivedAt);
        await ask(`CREATE TABLE IF NOT EXISTS beats_of_${day} PARTITION OF beats FOR VALUES IN (${day});
          UPDATE partitions SET no = ${number} WHERE id = 0;
          INSERT INTO beats (part, no, ord, day, id, agent, received_at, body) VALUES (0, ${number}, 1, ${day}, '${id}', '${agent}',
            ${receivedAt}, '${JSON.stringify({ id, agent, receivedAt, ...more })}')`);
      };
      for (const [at, beat] of kept.entries()) await put(at + 1, beat);
      await (await open()).close();
      expect(await indexed()).toBe(3);
      // The version before does not know the index.
      kept.push(beatAt(T + 5 * DAY, "allegro"));
      await put(4, kept.at(-1) as Beat);
      const store = await open();
      await expectRead(store, kept);
      await store.commit({ flushed: true });
      await expect.poll(indexed).toBe(4);
      await expectRead(store, kept);
    });
  },
);
