import fc from "fast-check";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Beat } from "../../core/beat.ts";
import { DAY, HOUR } from "../../core/duration.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import { storeContract } from "../../ports/store.contract.ts";
import type { Store, StoreError } from "../../ports/store.ts";
import { PostgresCircle } from "./circle.ts";
import { PgConnection } from "./connection.ts";
import type { PostgresOptions } from "./database.ts";
import { examinePostgres } from "./examine.ts";
import { examineOwner } from "./examine-hubs.ts";
import { openPostgres } from "./index.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { BadNetwork, poolOf } from "./proxy.fixture.ts";
import { type TestServer, testServer, whyNoServer } from "./server.fixture.ts";

const why = whyNoServer();
const T = Date.UTC(2026, 2, 29, 1);
const agent = {
  id: "allegro",
  rule: { every: 900_000, grace: 300_000 },
  origin: "beat",
  addedAt: T,
} as const;
const flip = (number: number, more: Partial<Flip> = {}): Flip => ({
  ...{ agent: "allegro", from: "alive", to: "late", reason: "overdue", why: String(number) },
  ...{ at: T + number, noticedAt: T + number },
  ...more,
});
const beatAt = (at: number, number: number): Beat => {
  const hex = at.toString(16).padStart(12, "0");
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(number).padStart(12, "0")}`;
  return { ...{ id, agent: "allegro", source: "agent", status: "ok" }, ...{ sentAt: at, receivedAt: at } };
};
const ALL = { limit: 100_000 };

describe.skipIf(why !== undefined)(`PostgreSQL${why === undefined ? "" : ` (skipped: ${why})`}`, () => {
  let server: TestServer;
  let url: string;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  const open = async (at: string, more: Partial<PostgresOptions> = {}): Promise<Store> => {
    const store = (await openPostgres({ url: at, owner: "test", ...more })) as Store;
    closers.push(() => store.close());
    return store;
  };
  const byHand = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    closers.push(() => client.end());
    return client;
  };
  const ask = async (sql: string) => (await (await byHand()).query({ text: sql, rowMode: "array" })).rows;
  const flipsIn = async (store: Store) =>
    (await store.flips("allegro", ALL)).map((each) => Number(each.why)).sort((a, b) => a - b);
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

  storeContract("postgres", async () => {
    const schema = await server.schema();
    const opened = async () => (await openPostgres({ url: schema, owner: "test" })) as Store;
    return { store: await opened(), reopen: opened };
  });

  describe("when something fails", () => {
    let network: BadNetwork;
    beforeEach(async () => {
      url = await server.schema();
      network = await BadNetwork.before(url);
      closers.push(() => network.close());
    });

    it("keeps each commit once, although requests and answers are lost", async () => {
      const store = await open(network.url);
      await store.commit({ agents: [agent] });
      for (const number of upTo(12)) {
        network.mode = number % 3 === 0 ? "pass" : number % 3 === 1 ? "lose-answer" : "lose-request";
        expect(await store.commit({ flips: [flip(number)] })).toBe(number + 1);
      }
      expect(await flipsIn(store)).toEqual(upTo(12));
      const commits = await store.changesSince(0, 99);
      expect(commits === "too-old" ? commits : commits.map(({ number }) => number)).toEqual(upTo(13));
    });

    it("keeps what it acknowledged, once, while the server is restarted under load", async (context) => {
      const { crash, start } = server;
      if (crash === undefined || start === undefined) return context.skip("this server is not ours to end");
      const store = await open(url);
      await store.commit({ agents: [agent] });
      let isOver = false;
      let count = 0;
      const acknowledged: number[] = [];
      const work = async () => {
        while (!isOver) {
          const number = ++count;
          await store.commit({ flips: [flip(number)] });
          acknowledged.push(number);
        }
      };
      const working = Promise.all([work(), work(), work(), work()]);
      for (let round = 0; round < 3; round++) {
        const before = acknowledged.length;
        await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
        await crash();
        await start();
      }
      isOver = true;
      await working;
      expect(await flipsIn(store)).toEqual(upTo(count));
      expect(acknowledged.toSorted((a, b) => a - b)).toEqual(upTo(count));
    });

    it("waits with a commit that comes while the server is away, and no longer than it may", async (context) => {
      const { crash, start } = server;
      if (crash === undefined || start === undefined) return context.skip("this server is not ours to end");
      const [patient, hasty] = [await open(url), await open(await server.schema(), { patience: 0 })];
      await patient.commit({ agents: [agent] });
      await crash();
      await expect(hasty.commit({})).rejects.toMatchObject({ code: "unreachable" });
      const committing = patient.commit({ flips: [flip(1)] });
      await start();
      expect(await committing).toBe(2);
      expect(await hasty.commit({})).toBe(1);
    });

    it("does not wait for ever for a network that hangs, and goes on when it is back", async () => {
      const store = await open(network.url, { answerWithin: 300, patience: 0 });
      await store.commit({ agents: [agent] });
      network.mode = "hang";
      await expect(store.commit({ flips: [flip(1)] })).rejects.toMatchObject({ code: "unreachable" });
      await expect(store.flips("allegro", ALL)).rejects.toMatchObject({ code: "unreachable" });
      network.mode = "pass";
      expect(await store.commit({ flips: [flip(2)] })).toBe(2);
      expect(await flipsIn(store)).toEqual([2]);
    });

    it("ends when a commit is there of which its caller was told that it is not", async () => {
      const told: StoreError[] = [];
      const onFenced = (error: StoreError) => told.push(error);
      const store = await open(network.url, { answerWithin: 300, patience: 0, onFenced });
      await store.commit({ agents: [agent], flips: [flip(0)] });
      network.mode = "hang-answers";
      await expect(store.commit({ flips: [flip(1)] })).rejects.toMatchObject({ code: "unreachable" });
      network.mode = "pass";
      await expect(store.commit({ flips: [flip(1)] })).rejects.toMatchObject({ code: "fenced" });
      expect(told.map(({ message }) => message)).toEqual([expect.stringContaining("has the commit 2")]);
    });

    it("ends when the server lost commits that it had acknowledged", async () => {
      const store = await open(network.url);
      await store.commit({ agents: [agent] });
      await store.commit({ flips: [flip(1)] });
      await ask("UPDATE partitions SET no = no - 1");
      network.mode = "lose-request";
      await expect(store.commit({ flips: [flip(2)] })).rejects.toThrow("has lost the commits 2 to 2");
    });

    it("refuses to begin where nobody listens, without the password", async () => {
      const nowhere = "postgres://rollcall:s3cret@127.0.0.1:1/roll";
      const opening = openPostgres({ url: nowhere, owner: "test" });
      await expect(opening).rejects.toMatchObject({
        code: "unreachable",
        message: expect.stringMatching(
          /^the database postgres:\/\/127.0.0.1:1\/roll cannot be reached \(.*ECONNREFUSED/,
        ),
      });
      await expect(opening).rejects.not.toThrow("s3cret");
    });
  });

  describe("with two owners", () => {
    beforeEach(async () => {
      url = await server.schema();
    });
    const takeOver = "UPDATE partitions SET owner = 'other', session = 'other', epoch = epoch + 1";

    it("commits nothing for the one that was replaced, and says so once", async () => {
      const told: StoreError[] = [];
      const store = await open(url, { onFenced: (error) => told.push(error) });
      await store.commit({ agents: [agent] });
      await ask(takeOver);
      const fenced = { name: "StoreError", code: "fenced", message: expect.stringContaining('by "other"') };
      await expect(store.commit({ flips: [flip(1)] })).rejects.toMatchObject(fenced);
      await expect(store.commit({ flips: [flip(2)] })).rejects.toMatchObject(fenced);
      expect(told).toHaveLength(1);
      expect(await ask("SELECT count(*) FROM flips")).toEqual([["0"]]);
      expect(await ask("SELECT no FROM partitions")).toEqual([["1"]]);
    });

    it("commits nothing while another one is taking over", async () => {
      const store = await open(url);
      await store.commit({ agents: [agent] });
      const other = await byHand();
      await other.query("BEGIN");
      await other.query(takeOver);
      const committing = store.commit({ flips: [flip(1)] });
      committing.catch(() => {});
      const waits = "SELECT count(*)::int FROM pg_locks WHERE NOT granted";
      await expect.poll(async () => (await other.query(waits)).rows[0].count).toBeGreaterThan(0);
      await other.query("COMMIT");
      await expect(committing).rejects.toMatchObject({ code: "fenced" });
      expect(await ask("SELECT count(*) FROM flips")).toEqual([["0"]]);
    });

    it("does not repeat a commit that still waits in the server when its answer is given up", async () => {
      const store = await open(url, { answerWithin: 500 });
      await store.commit({ agents: [agent] });
      const other = await byHand();
      await other.query("BEGIN; SELECT 1 FROM partitions FOR UPDATE");
      const committing = store.commit({ flips: [flip(1)] });
      const waits = "SELECT count(*)::int FROM pg_locks WHERE NOT granted";
      await expect.poll(async () => (await other.query(waits)).rows[0].count).toBeGreaterThan(1);
      await other.query("COMMIT");
      expect(await committing).toBe(2);
      expect(await flipsIn(store)).toEqual([1]);
    });

    it("lets an owner that was killed begin again at once, and ends the older process of two", async () => {
      const first = await open(url);
      await first.commit({ agents: [agent] });
      const second = await open(url);
      await expect(first.commit({})).rejects.toMatchObject({ code: "fenced" });
      expect(await second.commit({})).toBe(2);
    });

    it("waits for the lease of another owner, then says who has it; after that one's end it begins at once", async () => {
      const lease = 200;
      const first = await open(url, { lease });
      await expect(openPostgres({ url, owner: "other", lease })).rejects.toMatchObject({
        ...{ code: "busy", message: expect.stringContaining('is in use by "test"') },
      });
      await first.close();
      expect(await (await open(url, { owner: "other", lease })).commit({})).toBe(1);
    });

    it("is refused at once while a hub that lives owns it, and the refusal names that hub", async () => {
      const lease = HOUR;
      await open(url, { lease });
      const circle = await PostgresCircle.open(url);
      closers.push(() => circle.close());
      const card = {
        id: "test",
        url: "https://hub.example.org#sha256=1",
        address: "",
        key: "",
        version: "1",
      };
      await circle.greet(card);
      await expect(openPostgres({ url, owner: "other", lease })).rejects.toMatchObject({
        ...{
          code: "busy",
          message: expect.stringContaining('only hub "test" (https://hub.example.org) may'),
        },
      });
      expect(await examineOwner(url)).toEqual({ id: "test", url: "https://hub.example.org" });
      await circle.leave("test");
      expect(await examineOwner(url)).toBeUndefined();
    });

    it("tells of an owner whose session ended, which loses its lease to whoever saw its epoch, unless it is back", async () => {
      const circle = await PostgresCircle.open(url);
      closers.push(() => circle.close());
      expect(await circle.ownership()).toMatchObject({ owner: "", isFree: true });
      const first = await open(url);
      const held = await circle.ownership();
      expect(held).toMatchObject({ owner: "test", epoch: 1, isFree: false, isOrphaned: false });
      const end = async () =>
        (await byHand()).query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`);
      await end();
      // It is back by itself, before anybody asks it for something.
      await expect.poll(async () => (await circle.ownership()).epoch).toBe(2);
      const late = { url, owner: "other", takeFrom: 1 };
      await expect(openPostgres(late)).rejects.toMatchObject({ code: "busy" });
      const second = await open(url, { owner: "other", takeFrom: 2 });
      expect(await second.commit({})).toBe(1);
      await expect(first.commit({})).rejects.toMatchObject({ code: "fenced" });
      // The session of the first still has the lock: then nobody takes a free lock for the end of the second.
      expect(await circle.ownership()).toMatchObject({ owner: "other", isFree: false, isOrphaned: false });
      await second.close();
      expect(await circle.ownership()).toMatchObject({ isFree: true });
    });

    it("tells a watcher that takes over how long ago the other was heard of, by the server's clock", async () => {
      const mark = { at: T, uptime: 5, bootId: "boot" };
      const first = await open(url);
      await first.commit({ mark });
      expect((await first.load()).mark).toStrictEqual(mark);
      await first.commit({});
      await first.close();
      expect((await (await open(url)).load()).mark).toStrictEqual(mark);
      const second = await open(url, { owner: "other", takeFrom: 2 });
      const taken = (await second.load()).mark;
      expect(taken).toMatchObject(mark);
      expect(await second.lastMark()).toMatchObject({ ...mark, takenOver: { written: expect.any(Number) } });
      const { written = Number.NaN, seen = Number.NaN } = taken?.takenOver ?? {};
      expect(written).toBeGreaterThan(seen);
      expect(seen).toBeGreaterThan(0);
    });

    it("has a longer lease from loading a fleet until the first commit, and still tells of the owner before it", async () => {
      const first = await open(url);
      const agents = upTo(3000).map((n) => ({ ...agent, id: `bot-${n}` }));
      await first.commit({ agents, mark: { at: T, uptime: 5, bootId: "boot" } });
      const seen = await ask("SELECT seen::text FROM partitions");
      const second = await open(url, { owner: "other", takeFrom: 1, lease: 3_600_000 });
      const [[before] = []] = await ask("SELECT clock_timestamp()::text");
      await second.load();
      // It had an hour when it was claimed, which was before that.
      expect(
        await ask(`SELECT expires > '${String(before)}'::timestamptz + interval '1 hour' FROM partitions`),
      ).toEqual([[true]]);
      expect(await ask("SELECT seen::text FROM partitions")).toEqual(seen);
    });

    it("takes the lease of an owner that is cut off, which then commits nothing", async () => {
      const network = await BadNetwork.before(url);
      closers.push(() => network.close());
      const cut = await open(network.url, { lease: 300, answerWithin: 300 });
      await cut.commit({ agents: [agent] });
      network.mode = "hang";
      const other = await open(url, { owner: "other" });
      expect((await other.load()).agents).toEqual([agent]);
      await other.commit({ flips: [flip(1)] });
      network.mode = "pass";
      await expect(cut.commit({ flips: [flip(2)] })).rejects.toMatchObject({ code: "fenced" });
      expect(await flipsIn(other)).toEqual([1]);
    });
  });

  describe("examined", () => {
    beforeEach(async () => {
      url = await server.schema();
    });

    it("tells its settings as they are for us", async () => {
      const health = await examinePostgres(url);
      expect(health).toMatchObject({ isStandby: false, isPooled: false, bloated: [], waitsFor: "" });
      const [[fsync]] = (await ask("SELECT current_setting('fsync') = 'on'")) as [[boolean]];
      expect(health.fsync).toBe(fsync);
      const careless = new URL(url);
      careless.searchParams.set("options", "-c synchronous_commit=off");
      expect((await examinePostgres(careless.href)).synchronousCommit).toBe("off");
    });

    it("tells how far its clock is from ours", async () => {
      expect(Math.abs((await examinePostgres(url)).clockAhead)).toBeLessThan(DAY / 24);
      const now = vi
        .spyOn(Date, "now")
        .mockImplementation(() => performance.timeOrigin + performance.now() - DAY);
      closers.push(async () => now.mockRestore());
      const { clockAhead } = await examinePostgres(url);
      expect(Math.abs(clockAhead - DAY)).toBeLessThan(DAY / 24);
    });

    it("names tables that are full of dead rows", async () => {
      await (await open(url)).close();
      await ask(`ALTER TABLE commits SET (autovacuum_enabled = off);
        INSERT INTO commits SELECT 1, n, 1, '' FROM generate_series(1, 100001) AS n; DELETE FROM commits`);
      await expect
        .poll(async () => (await examinePostgres(url)).bloated)
        .toMatchObject([{ table: "commits", dead: 100_001 }]);
    });

    it("counts the standbys that listen to it", async () => {
      const { standbys } = await examinePostgres(url);
      const standby = new pg.Client({ connectionString: url, replication: "true" } as pg.ClientConfig);
      await standby.connect();
      closers.push(() => standby.end());
      expect((await examinePostgres(url)).standbys).toBe(standbys + 1);
    });

    it("is found to be behind a pooler", async () => {
      const pool = await poolOf(url);
      closers.push(() => pool.close());
      expect((await examinePostgres(pool.url)).isPooled).toBe(true);
    });
  });

  describe("its tables", () => {
    beforeEach(async () => {
      url = await server.schema();
    });
    const tables = async (name: string) =>
      (
        await ask(`SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = '${name}'::regclass ORDER BY 1`)
      ).map(([each]) => each);

    it("are by date, hide what is too old, and are dropped when all of it is", async () => {
      const store = await open(url);
      const beats = [0, 1, 2].flatMap((day) => [beatAt(T + day * DAY, 1), beatAt(T + day * DAY + 5, 2)]);
      await store.commit({ agents: [agent], beats, flips: [flip(1), flip(8 * DAY)] });
      await store.commit({ beats });
      expect(await store.beats("allegro", ALL)).toEqual(beats.toReversed());
      expect(await tables("beats")).toEqual([
        "beats_2026_03_29",
        "beats_2026_03_30",
        "beats_2026_03_31",
        "beats_other",
      ]);
      expect(await tables("flips")).toEqual(["flips_2026_03_26", "flips_2026_04_02", "flips_other"]);
      const firstGone = { beats: T + DAY + 5, flips: T + 7 * DAY };
      expect(await store.prune(firstGone)).toEqual({ beats: 3, flips: 1 });
      expect(await store.prune(firstGone)).toEqual({ beats: 0, flips: 0 });
      expect(await store.beats("allegro", ALL)).toEqual(beats.slice(3).reverse());
      expect(await tables("beats")).toEqual(["beats_2026_03_30", "beats_2026_03_31", "beats_other"]);
      expect(await tables("flips")).toEqual(["flips_2026_04_02", "flips_other"]);
      await store.commit({ beats: [beatAt(T + 9 * DAY, 1)] });
      expect(await store.beats("allegro", ALL)).toHaveLength(4);
    });

    it("take any text and give it back", async () => {
      const store = await open(url);
      const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 127 })));
      const texts = fc.sample(units, { numRuns: 300, seed: 7 }).map((each) => String.fromCharCode(...each));
      const whys = [...texts, "\0", "{}", '"', "\\", "NULL", "null", "\ud83d", "\x10"];
      await store.commit({ agents: [agent], flips: whys.map((each, n) => flip(n, { why: each })) });
      expect((await store.flips("allegro", ALL)).map((each) => each.why)).toEqual(whys.toReversed());
    });

    it("are made once by several that begin at the same time", async () => {
      const connections = await Promise.all(upTo(4).map(() => PgConnection.open({ url })));
      closers.push(...connections.map((each) => () => each.close()));
      await Promise.all(connections.map((each) => migrate(each, "here")));
      expect(await ask("SELECT version, oldest FROM schema_version")).toEqual([[MIGRATIONS.length, 1]]);
    });

    it("are refused when a newer version contracted them, and used when it only added to them", async () => {
      await (await open(url)).close();
      await ask("UPDATE schema_version SET version = 9");
      await (await open(url)).close();
      await ask("UPDATE schema_version SET oldest = 9");
      for (const owner of ["test", undefined])
        await expect(openPostgres({ url, owner })).rejects.toMatchObject({
          code: "newer-schema",
          message: expect.stringContaining("has schema version 9, written by a newer Rollcall"),
        });
    });

    it("are read by others while their owner writes, and written by nobody else", async () => {
      expect(await openPostgres({ url })).toBeUndefined();
      const store = await open(url);
      await store.commit({ agents: [agent], flips: [flip(1)] });
      const reader = await open(url, { owner: undefined });
      expect((await reader.load()).agents).toEqual([agent]);
      expect(await flipsIn(reader)).toEqual([1]);
      await expect(reader.commit({ flips: [flip(2)] })).rejects.toMatchObject({ code: "read-only" });
      await store.commit({ flips: [flip(2)] });
      expect(await flipsIn(reader)).toEqual([1, 2]);
    });
  });
});
