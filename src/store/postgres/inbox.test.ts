import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Beat } from "../../core/beat.ts";
import type { HostBatch } from "../../core/host/batch.ts";
import type { KnownHost } from "../../core/host/host.ts";
import type { StoredRecord } from "../../ports/repositories.ts";
import type { Store } from "../../ports/store.ts";
import { PostgresInbox } from "./inbox.ts";
import { openPostgres } from "./index.ts";
import { type TestServer, testServer, whyNoServer } from "./server.fixture.ts";

const why = whyNoServer();
const NOTHING = { beats: [], batches: [], marks: [], learnt: [] };

function beat(id: string): Beat {
  return {
    id,
    agent: "bot",
    source: "agent",
    status: "ok",
    message: "half \ud800 and \0",
    sentAt: 1,
    receivedAt: 2,
  };
}

function batch(from: number, upTo: number, host = "web1", spool = "s1"): HostBatch {
  const facts = upTo > from ? [{ seq: upTo, fact: { k: "dropped" as const, at: 1, count: 1 } }] : [];
  const clock = { wall: 5, uptime: 6 };
  return { v: 1, host, spool, boot: "b", version: "0.1.0", from, upTo, clock, backlog: 0, facts };
}

describe.skipIf(why !== undefined)(`the inbox of hubs${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server.stop());

  async function inboxes(count = 2) {
    const url = await server.schema();
    const store = (await openPostgres({ url, owner: "test" })) as Store;
    const made = Array.from({ length: count }, () => new PostgresInbox(url));
    onTestFinished(async () => {
      await Promise.all([store.close(), ...made.map((inbox) => inbox.close())]);
    });
    return { store, inboxes: made, first: made[0] as PostgresInbox, second: made[1] as PostgresInbox };
  }
  const heard = async (inbox: PostgresInbox) =>
    (await inbox.after(0, 100)).flatMap(({ batches }) =>
      batches.map(({ host, from, upTo }) => [host, from, upTo]),
    );

  it("keeps what was put there, in the order of commits, also of several at once", async () => {
    const { inboxes: many, first } = await inboxes(4);
    await Promise.all(
      many.flatMap((inbox, n) =>
        Array.from({ length: 20 }, (_, k) =>
          inbox.put({ ...NOTHING, access: 0, beats: [beat(`${n}-${k}`)] }),
        ),
      ),
    );
    const rows = await first.after(0, 1000);
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1));
    expect(new Set(rows.map(({ beats }) => beats[0]?.id)).size).toBe(80);
    expect(rows[0]?.beats[0]).toMatchObject({ message: "half \ud800 and \0" });
    expect(rows[0]?.age).toBeGreaterThanOrEqual(0);
    expect((await first.after(78, 1000)).length).toBe(2);
  });

  it("takes a batch only where the facts of its host end, whichever hub it comes to", async () => {
    const { first, second } = await inboxes();
    const put = (inbox: PostgresInbox, ...batches: HostBatch[]) =>
      inbox.put({ ...NOTHING, access: 0, batches });
    expect(await put(first, batch(0, 3))).toEqual(new Set());
    await first.put({ ...NOTHING, access: 0, learnt: [{ host: "web1", spool: "s1", acked: 3 }] });
    expect(await put(first, batch(3, 7), batch(0, 1, "web2"))).toEqual(new Set(["web1"]));
    // The answer was lost, and the host sends it again, here and there.
    expect(await put(first, batch(3, 7))).toEqual(new Set());
    expect(await put(second, batch(3, 9))).toEqual(new Set());
    expect(await put(second, batch(7, 9, "web1", "s2"))).toEqual(new Set());
    const both = await Promise.all([put(first, batch(7, 9)), put(second, batch(7, 10))]);
    expect(both.filter((taken) => taken?.has("web1"))).toHaveLength(1);
    expect((await heard(first)).slice(0, 2)).toEqual([
      ["web1", 3, 7],
      ["web1", 7, both[0]?.size === 1 ? 9 : 10],
    ]);
    // What the owner told earlier does not take it back.
    await second.put({ ...NOTHING, access: 0, learnt: [{ host: "web1", spool: "s1", acked: 4 }] });
    const acked = both[0]?.size === 1 ? 9 : 10;
    expect(await second.stale([{ host: "web1", spool: "s1", acked }])).toEqual([]);
    expect(await second.stale([{ host: "web1", spool: "s1", acked: 4 }])).toEqual(["web1"]);
    await second.forget(["web1"]);
    expect(await second.stale([{ host: "web1", spool: "s1", acked }])).toEqual(["web1"]);
    expect(await put(first, batch(acked, 20))).toEqual(new Set());
  });

  it("takes nothing after access has changed", async () => {
    const { first, second } = await inboxes();
    expect(await first.access()).toBe(0);
    await second.changeAccess();
    const learnt = [{ host: "web1", spool: "s1", acked: 0 }];
    expect(await first.put({ ...NOTHING, access: 0, beats: [beat("a")], learnt })).toBeUndefined();
    expect(await first.after(0, 10)).toEqual([]);
    expect(await first.stale(learnt)).toEqual(["web1"]);
    expect(await first.put({ ...NOTHING, access: await first.access(), beats: [beat("a")] })).toEqual(
      new Set(),
    );
  });

  it("forgets only what the owner's commits have heard", async () => {
    const { store, first } = await inboxes();
    for (const id of ["a", "b", "c"]) await first.put({ ...NOTHING, access: 0, beats: [beat(id)] });
    await first.done(3);
    expect(await first.after(0, 10)).toHaveLength(3);
    const record = {
      kind: "inbox",
      id: await first.id(),
      at: 0,
      about: "",
      current: true,
      body: { number: 2 },
    } as const;
    await store.commit({ records: [record] });
    await first.done(3);
    expect((await first.after(0, 10)).map(({ number }) => number)).toEqual([3]);
  });

  it("knows the host of a token, as far as its facts are stored, until either is revoked", async () => {
    const { store, first } = await inboxes();
    const token = {
      id: "tok",
      name: "host web1",
      scope: "host",
      host: "web1",
      hash: "h",
      createdAt: 1,
    } as const;
    const host: KnownHost = {
      ...{ name: "web1", kind: "server", joinedAt: 1, token: "tok", machine: "m" },
      ...{ version: "0.1.0", spool: "s1", boot: "b", acked: 4 },
    };
    const kept = (more: Partial<StoredRecord> = {}) => ({ at: 1, about: "", current: true, ...more });
    const commit = (isHost: boolean, isToken: boolean) =>
      store.commit({
        records: [
          { ...kept(), kind: "host", id: "web1", current: isHost, body: host },
          { ...kept(), kind: "token", id: "tok", current: isToken, body: token },
        ],
      });
    await commit(true, true);
    const found = { host: "web1", hash: "h", spool: "s1", boot: "b", version: "0.1.0", acked: 4 };
    expect(await first.hostOf("tok")).toEqual(found);
    await first.put({ ...NOTHING, access: 0, learnt: [{ host: "web1", spool: "s1", acked: 6 }] });
    expect(await first.hostOf("tok")).toEqual({ ...found, acked: 6 });
    await first.put({ ...NOTHING, access: 0, learnt: [{ host: "web1", spool: "other", acked: 9 }] });
    expect(await first.hostOf("tok")).toEqual(found);
    expect(await first.hostOf("nobody")).toBeUndefined();
    await commit(true, false);
    expect(await first.hostOf("tok")).toBeUndefined();
    await commit(false, true);
    expect(await first.hostOf("tok")).toBeUndefined();
  });
});
