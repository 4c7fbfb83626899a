import { describe, expect, it } from "vitest";
import { ask, HOME_TOKEN, type MadeUpWeb, madeUpWeb, withToken } from "../../../test/made-up-web.ts";
import { memoryStore } from "../../store/memory/memory.ts";

const rid = (n: number) => `1d2f3a44-0000-4000-8000-00000000000${n}`;

/** An agent, and the address of its pings. */
async function withAgent(web: MadeUpWeb, id = "nightly"): Promise<string> {
  await ask(`${web.url}/api/v1/agents`, { method: "POST", token: HOME_TOKEN, body: { id } });
  const { json } = await ask(`${web.url}/api/v1/agents/${id}`);
  return `${web.url}/ping/${json.agents[0].pingUuid}`;
}

const agentOf = async ({ url }: MadeUpWeb, id = "nightly") =>
  (await ask(`${url}/api/v1/agents/${id}`)).json.agents?.[0];
const listOf = async ({ url }: MadeUpWeb, kind: string, id = "nightly") =>
  (await ask(`${url}/api/v1/agents/${id}/${kind}`)).json[kind];

describe("the replies of the contract", () => {
  const unknown = "/ping/00000000-0000-4000-8000-000000000000";
  it.each([
    ["a success", "", "GET", 200, "OK"],
    ["with a slash", "/", "GET", 200, "OK"],
    ["by POST", "", "POST", 200, "OK"],
    ["by HEAD", "", "HEAD", 200, ""],
    ["by PUT, which counts as well", "", "PUT", 200, "OK"],
    ["start", "/start", "GET", 200, "OK"],
    ["fail", "/fail", "GET", 200, "OK"],
    ["log", "/log", "POST", 200, "OK"],
    ["an exit code", "/17", "GET", 200, "OK"],
    ["an exit code that is none", "/256", "GET", 400, "invalid url format"],
    ["another word", "/stop", "GET", 404, "not found"],
    ["a run id", `/start?rid=${rid(1)}`, "GET", 200, "OK"],
    ["a run id that is none", "/start?rid=7", "GET", 400, "invalid uuid format"],
  ])("%s", async (_, what, method, status, body) => {
    const web = await madeUpWeb();
    const said = await ask(`${await withAgent(web)}${what}`, { method });
    expect(said).toMatchObject({ status, body });
    expect(said.headers).toMatchObject({
      "ping-body-limit": "10000",
      "access-control-allow-origin": "*",
      "content-type": "text/plain; charset=utf-8",
      "cache-control": expect.stringContaining("no-store"),
    });
    const lost = await ask(`${web.url}${unknown}${what}`, { method });
    expect(lost.status).toBe(status === 400 && what === "/256" ? 400 : 404);
  });

  it("a ping whose commit hangs gets 503 and when to come again", async () => {
    const store = memoryStore();
    const commit = store.commit.bind(store);
    let disk = Promise.resolve();
    store.commit = (changes) => disk.then(() => commit(changes));
    const web = await madeUpWeb({ store, patience: 20 });
    const address = await withAgent(web);
    let release = () => {};
    disk = new Promise((done) => {
      release = done;
    });
    const said = await ask(address);
    release();
    expect(said).toMatchObject({ status: 503, body: expect.stringContaining("may still be stored") });
    expect(said.headers["retry-after"]).toBe("1");
  });

  it("by key and slug: only with the right key, made on request, once for many at a time", async () => {
    const { store, secret: key } = await withToken("beat", { pingKey: true });
    const web = await madeUpWeb({ store });
    const ping = (path: string) => ask(`${web.url}/ping/${path}`);
    expect(await ping(`${key}/db-backup`)).toMatchObject({ status: 404, body: "not found" });
    const other = `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`;
    expect(await ping(`${other}/db-backup?create=1`)).toMatchObject({ status: 404 });
    expect(await ping(`${key}/Db-backup?create=1`)).toMatchObject({
      status: 400,
      body: "invalid url format",
    });
    expect(await ping(`${key}/-x?create=1`)).toMatchObject({ status: 400, body: "invalid url format" });
    expect(await ping(`${key}/db-backup?create=1&rid=7`)).toMatchObject({
      status: 400,
      body: "invalid uuid format",
    });
    expect(await agentOf(web, "db-backup")).toBeUndefined();
    const said = await Promise.all(Array.from({ length: 8 }, () => ping(`${key}/db-backup?create=1`)));
    expect(said.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    expect(said.find(({ status }) => status === 201)?.body).toBe("Created");
    expect(await agentOf(web, "db-backup")).toMatchObject({ state: "alive", origin: "added" });
    expect(await listOf(web, "beats", "db-backup")).toHaveLength(8);
    expect(await ping(`${key}/db-backup`)).toMatchObject({ status: 200, body: "OK" });
    // The key is part of an address: it is not a token for anything else.
    expect((await ask(`${web.url}/api/v1/agents`, { token: key })).status).toBe(401);
  });

  it("a key for one agent pings that one alone", async () => {
    const { store, secret: key } = await withToken("beat", { pingKey: true, agent: "mine" });
    const web = await madeUpWeb({ store });
    expect((await ask(`${web.url}/ping/${key}/mine?create=1`)).status).toBe(201);
    expect((await ask(`${web.url}/ping/${key}/other?create=1`)).status).toBe(404);
  });
});

describe("what pings mean", () => {
  it.each([
    ["a success is a beat", "", "alive", "ok"],
    ["exit code 0 too", "/0", "alive", "ok"],
    ["a failure is an error", "/fail", "failing", "error"],
    ["any other exit code too", "/3", "failing", "error"],
    ["a log only records", "/log", "new", null],
  ])("%s", async (_, what, state, status) => {
    const web = await madeUpWeb();
    await ask(`${await withAgent(web)}${what}`, { method: "POST", body: "the output" });
    expect(await agentOf(web)).toMatchObject({ state, status });
    const [ping] = await listOf(web, "pings");
    expect(Buffer.from(ping.body, "base64").toString()).toBe("the output");
  });

  it("bodies are kept as the bytes they are, the first 10,000 of them, and never refused", async () => {
    const web = await madeUpWeb();
    const url = await withAgent(web);
    const binary = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    expect((await ask(url, { method: "POST", body: binary })).status).toBe(200);
    const huge = Buffer.alloc(5 * 1024 * 1024, 0xff);
    expect(
      (await ask(url, { method: "POST", body: huge, headers: { "user-agent": "u".repeat(300) } })).status,
    ).toBe(200);
    const [second, first] = await listOf(web, "pings");
    expect(Buffer.from(first.body, "base64").equals(binary)).toBe(true);
    expect(Buffer.from(second.body, "base64").equals(huge.subarray(0, 10_000))).toBe(true);
    expect(second).toMatchObject({ number: 2, method: "POST", userAgent: "u".repeat(200) });
  });

  it("runs at once are told apart by their id, and each is a cycle with its own begin and end", async () => {
    const web = await madeUpWeb();
    const url = await withAgent(web);
    for (const [what, n] of [
      ["/start", 1],
      ["/start", 2],
      ["", 1],
      ["/7", 2],
    ] as const) {
      await ask(`${url}${what}?rid=${rid(n)}`);
      web.clock.move(1000);
    }
    const cycles = (await listOf(web, "cycles")) as {
      number: number;
      outcome: string;
      beganAt: string;
      endedAt: string;
    }[];
    const lasted = ({ beganAt, endedAt }: { beganAt: string; endedAt: string }) =>
      Math.round((Date.parse(endedAt) - Date.parse(beganAt)) / 1000);
    expect(cycles.map((each) => [each.number, each.outcome, lasted(each)])).toEqual([
      [2, "error", 2],
      [1, "ok", 2],
    ]);
  });

  it("a run that does not end is late like a missing ping, although others come and go, also over a restart", async () => {
    const { store } = await withToken("read");
    const first = await madeUpWeb({ store });
    const path = new URL(await withAgent(first)).pathname;
    await ask(`${first.url}${path}/start?rid=${rid(1)}`);
    await ask(`${first.url}${path}/start?rid=${rid(2)}`);
    await first.stop();
    const web = await madeUpWeb({ store });
    const url = `${web.url}${path}`;
    await ask(`${url}?rid=${rid(2)}`);
    expect(await agentOf(web)).toMatchObject({ state: "alive" });
    const evidence = (await agentOf(web)).evidence as { says: string }[];
    expect(evidence.map(({ says }) => says)).toContainEqual(expect.stringMatching(/^a run began at /));
    // The judge is asked about the moment itself, so that no clock has to be waited for.
    const outlook = (await agentOf(web)).outlook as { state: string; reason: string }[];
    expect(outlook).toContainEqual(expect.objectContaining({ state: "late", reason: "run-overdue" }));
    await ask(`${url}?rid=${rid(1)}`);
    expect(await agentOf(web)).toMatchObject({ state: "resting" });
    const cycles = (await listOf(web, "cycles")) as { number: number; outcome: string }[];
    expect(cycles.map(({ number, outcome }) => [number, outcome])).toEqual([
      [2, "ok"],
      [1, "ok"],
    ]);
  });

  it("a run that begins again before it ended is over, and another one that runs beside it is not", async () => {
    const web = await madeUpWeb();
    const url = await withAgent(web);
    for (const what of [`/start?rid=${rid(1)}`, "/start", "/start", `?rid=${rid(1)}`, "/start"]) {
      web.clock.move(1000);
      expect((await ask(`${url}${what}`)).status).toBe(200);
    }
    const cycles = (await listOf(web, "cycles")) as { number: number; outcome?: string }[];
    expect(cycles.map(({ number, outcome }) => [number, outcome])).toEqual([
      [4, undefined],
      [3, "superseded"],
      [2, "superseded"],
      [1, "ok"],
    ]);
  });

  it("of each agent the newest hundred are kept", async () => {
    const web = await madeUpWeb();
    const url = await withAgent(web);
    for (let i = 0; i < 103; i++) await ask(`${url}/log`);
    const pings = (await listOf(web, "pings")) as { number: number }[];
    expect(pings).toHaveLength(100);
    expect(Math.max(...pings.map(({ number }) => number))).toBe(103);
  });

  it("an agent that was removed takes its address with it", async () => {
    const web = await madeUpWeb();
    const url = await withAgent(web);
    await ask(`${url}/start`);
    await ask(`${web.url}/api/v1/agents/nightly`, { method: "DELETE", token: HOME_TOKEN });
    expect(await ask(url)).toMatchObject({ status: 404 });
  });
});
