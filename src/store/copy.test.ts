import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { removeFolder } from "../../test/remove-folder.ts";
import { FULL } from "../ports/store.contract.ts";
import type { Store } from "../ports/store.ts";
import { uuidv7 } from "../system/uuid.ts";
import { copyStore } from "./copy.ts";
import type { CopySource, CopyTarget } from "./kit/copying.ts";
import { postgresSource, postgresTarget } from "./postgres/copying.ts";
import { openPostgres } from "./postgres/index.ts";
import { type TestServer, testServer, whyNoServer } from "./postgres/server.fixture.ts";
import { sqliteSource, sqliteTarget } from "./sqlite/copying.ts";
import { openSqlite } from "./sqlite/index.ts";

const ALL = { limit: 100_000 };
const why = whyNoServer();

/** One kind of store, at a place of its own. */
interface Place {
  open(): Promise<Store>;
  source(): Promise<CopySource>;
  target(): Promise<CopyTarget>;
}

/** Everything, more than a slice of beats and flips, and beats that are not flushed. */
async function fill(store: Store): Promise<void> {
  await store.outgoing.renew("spool-1");
  await store.commit(FULL);
  const at = FULL.mark?.at ?? 0;
  const count = Array.from({ length: 1_300 }, (_, n) => n);
  const [beat, flip] = [FULL.beats[0], FULL.flips[0]];
  if (beat === undefined || flip === undefined) throw new Error("nothing to repeat");
  await store.commit({
    beats: count.map((n) => ({ ...beat, id: n % 3 === 0 ? `own-${n}` : uuidv7(), receivedAt: at + n })),
    flips: count.map((n) => ({ ...flip, at: at + (n % 7), why: String(n) })),
    flushed: true,
  });
  await store.commit({ removed: ["nightly@host-2"], beats: [{ ...beat, id: "last", receivedAt: at }] });
  await store.outgoing.forget(1, at);
}

async function all(store: Store) {
  const { agents, entries, ...loaded } = await store.load();
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
  const page = async (of: { page(query: typeof ALL): Promise<readonly unknown[]> }) => of.page(ALL);
  return {
    ...{ ...loaded, agents: sorted(agents), entries: sorted(entries) },
    beats: await store.beats("allegro", ALL),
    flips: await store.flips("allegro", ALL),
    cycles: await store.cycles("allegro", ALL),
    incidents: await page(store.incidents),
    deliveries: await page(store.deliveries),
    recoveries: await page(store.recoveries),
    runs: await page(store.runs),
    issues: await page(store.issues),
    records: await store.records.page("norm", ALL),
    commits: await store.changesSince(0, 100),
    spool: await store.outgoing.spool(),
    outgoing: await store.outgoing.after(0, 1_000_000),
  };
}

async function using<T>(store: Store, use: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A target that fails after so many steps, as one does whose process was killed. */
function failingAfter(target: CopyTarget, steps: number): CopyTarget {
  let left = steps;
  const step =
    <A extends unknown[]>(act: (...args: A) => Promise<void>) =>
    async (...args: A) => {
      await act.apply(target, args);
      left -= 1;
      if (left === 0) throw new Error("killed");
    };
  return {
    name: target.name,
    state: () => target.state(),
    count: (table) => target.count(table),
    rows: (table, after) => target.rows(table, after),
    check: () => target.check(),
    close: () => target.close(),
    find: () => target.find(),
    claim: step(target.claim),
    clear: step(target.clear),
    put: step(target.put),
    finish: step(target.finish),
    release: step(target.release),
  };
}

async function copy(from: Place, to: Place, steps = Number.POSITIVE_INFINITY) {
  const source = await from.source();
  try {
    const target = failingAfter(await to.target(), steps);
    try {
      return await copyStore(source, target, () => {});
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

describe.skipIf(why !== undefined)(`a copy between stores${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server.stop());

  const sqlite = async (): Promise<Place> => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-copy-"));
    onTestFinished(() => removeFolder(folder));
    const file = join(folder, "copy.db");
    return {
      open: () => openSqlite(file),
      source: async () => sqliteSource(file),
      target: async () => sqliteTarget(file),
    };
  };
  const urls = new Map<Place, string>();
  const postgres = async (): Promise<Place> => {
    const url = await server.schema();
    const place = {
      open: async () => (await openPostgres({ url, owner: "test" })) as Store,
      source: () => postgresSource(url),
      target: () => postgresTarget(url),
    };
    urls.set(place, url);
    return place;
  };
  const filled = async (place: Place) => {
    await using(await place.open(), fill);
    return place;
  };
  const ask = async (place: Place, sql: string) => {
    const client = new pg.Client({ connectionString: urls.get(place) ?? "" });
    await client.connect();
    await client.query(sql);
    await client.end();
  };

  const directions = [
    ["SQLite to PostgreSQL", sqlite, postgres],
    ["PostgreSQL to SQLite", postgres, sqlite],
  ] as const;

  it.each(directions)("from %s holds everything, and goes on like the original", async (_, a, b) => {
    const [from, to, back] = [await filled(await a()), await b(), await a()];
    expect(await copy(from, to)).toMatchObject({ how: "new", number: 3 });
    expect(await copy(from, to)).toMatchObject({ how: "complete" });
    await copy(to, back);
    const there = await using(await from.open(), all);
    expect(there.unflushed).toHaveLength(1);
    expect(await using(await to.open(), all)).toStrictEqual(there);
    expect(await using(await back.open(), all)).toStrictEqual(there);
    const more = { ...FULL, flushed: false };
    const after = async (store: Store) => [await store.commit(more), await all(store)];
    expect(await using(await to.open(), after)).toStrictEqual(await using(await from.open(), after));
    await using(await to.open(), (store) => store.commit({}));
    await expect(copy(from, to)).rejects.toMatchObject({ code: "other-data" });
  });

  it.each(directions)("from %s goes on wherever it stops, and cannot be used until then", async (_, a, b) => {
    const [from, to] = [await filled(await a()), await b()];
    const killed = async (steps: number) => {
      await expect(copy(from, to, steps)).rejects.toThrow("killed");
      return to.open().then(
        (store) => store.close(),
        (error: Error) => error.message,
      );
    };
    // Each run ends after one slice; there is one for each table, and two for beats and for flips.
    expect(await killed(1)).toContain("is an unfinished copy of");
    for (let run = 0; run < 16; run++) expect(await killed(2)).toContain("is an unfinished copy of");
    expect(await killed(2)).toContain("is an unfinished copy of");
    expect(await killed(3)).toBeUndefined();
    expect(await copy(from, to)).toMatchObject({ how: "complete" });
    expect(await using(await to.open(), all)).toStrictEqual(await using(await from.open(), all));
  });

  it.each(directions)("from %s begins anew if the original has changed since", async (_, a, b) => {
    const [from, to] = [await filled(await a()), await b()];
    await copy(from, to, 9).catch(() => {});
    await using(await from.open(), (store) => store.commit({ agents: FULL.agents }));
    expect(await copy(from, to)).toMatchObject({ how: "resumed", number: 4 });
    expect(await using(await to.open(), all)).toStrictEqual(await using(await from.open(), all));
  });

  it.each(directions)("from %s is refused where an unfinished copy of another store is", async (_, a, b) => {
    const [from, other, to] = [await filled(await a()), await filled(await a()), await b()];
    await copy(from, to, 9).catch(() => {});
    await expect(copy(other, to)).rejects.toThrow("holds an unfinished copy of");
  });

  it("ends in the older of two processes that write the same copy", async () => {
    for (const [, a, b] of directions) {
      const [from, to] = [await filled(await a()), await b()];
      const [source, older, newer] = [await from.source(), await to.target(), await to.target()];
      const [mark, state] = [{ source: source.name, stamp: "" }, await source.state()];
      await older.find();
      await older.claim(mark, state);
      await newer.claim(mark, state);
      await expect(older.finish(state)).rejects.toThrow("another process is copying into");
      for (const each of [source, older, newer]) await each.close();
    }
  });

  it("is refused while a watcher uses the database, and noticed if one comes later", async () => {
    const [file, there, empty] = [await filled(await sqlite()), await postgres(), await postgres()];
    const watcher = await there.open();
    await fill(watcher);
    await expect(copy(there, await sqlite())).rejects.toThrow("a watcher is using");
    await expect(copy(file, there)).rejects.toMatchObject({ code: "in-use" });
    await watcher.close();
    const source = await there.source();
    await using(await there.open(), (store) => store.commit({}));
    await expect(source.check()).rejects.toMatchObject({ code: "changed" });
    await source.close();
    await copy(file, empty, 9).catch(() => {});
    await ask(empty, "UPDATE partitions SET epoch = epoch + 1");
    await expect(copy(file, empty)).rejects.toMatchObject({ code: "changed" });
  });

  it("is made anew if what an interrupted one wrote was changed", async () => {
    const [from, to] = [await filled(await sqlite()), await postgres()];
    await copy(from, to, 9).catch(() => {});
    await ask(to, "UPDATE agents SET body = '{}'");
    expect(await copy(from, to)).toMatchObject({ how: "resumed" });
    expect(await using(await to.open(), all)).toStrictEqual(await using(await from.open(), all));
  });
});
