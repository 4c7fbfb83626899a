import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb, type Said, withToken } from "../../../test/made-up-web.ts";
import { memoryStore } from "../../store/memory/memory.ts";

const beat = { method: "POST", body: { agent: "allegro" } };

/** What each kind of request is answered with, by whoever asks. */
async function tries(url: string, how: { token: string | null; headers?: Record<string, string> }) {
  const statuses = async (path: string, more: object = {}) =>
    (await ask(`${url}${path}`, { ...how, ...more })).status;
  return {
    read: await statuses("/api/v1/agents"),
    beat: await statuses("/api/v1/beats", beat),
    simple: await statuses("/beat/allegro"),
    change: await statuses("/api/v1/agents", { method: "POST", body: { id: "new" } }),
    audit: await statuses("/api/v1/audit"),
    stream: await statuses("/api/v1/events", { method: "POST" }),
    metrics: await statuses("/metrics"),
  };
}

describe("on loopback", () => {
  it("beats need no token, and everything else needs one", async () => {
    const { url } = await madeUpWeb();
    expect(await tries(url, { token: null })).toEqual({
      ...{ read: 401, beat: 204, simple: 200, change: 401, audit: 401, stream: 401, metrics: 401 },
    });
    expect(await tries(url, { token: HOME_TOKEN })).toMatchObject({ change: 204, audit: 200, read: 200 });
  });

  it("a beat without a token is marked as unproven, and one with a token is not", async () => {
    const { url, store } = await madeUpWeb();
    await ask(`${url}/beat/allegro?action=anybody`);
    await ask(`${url}/api/v1/beats`, { method: "POST", body: { agent: "allegro", action: "anybody" } });
    await ask(`${url}/beat/allegro?action=owner`, { token: HOME_TOKEN });
    const body = { agent: "allegro", action: "owner" };
    await ask(`${url}/api/v1/beats`, { method: "POST", body, token: HOME_TOKEN });
    const beats = await store.beats("allegro", { limit: 10 });
    expect(beats.map(({ action, unproven }) => [action, unproven])).toEqual([
      ["owner", undefined],
      ["owner", undefined],
      ["anybody", true],
      ["anybody", true],
    ]);
    const claim = await ask(`${url}/api/v1/beats`, { method: "POST", body: { ...body, unproven: false } });
    expect(claim).toMatchObject({ status: 400, json: { code: "bad-beat" } });
  });

  it("a wrong token is refused, not taken for none", async () => {
    const { url } = await madeUpWeb();
    const said = await ask(`${url}/api/v1/agents`, { token: "rc_00000000_00000000000000000000000000000000" });
    expect(said).toMatchObject({ status: 401, json: { code: "needs-token" } });
    expect(said.headers["www-authenticate"]).toContain("Bearer");
  });

  it.each([
    ...["Forwarded", "Via", "X-Real-IP", "X-Forwarded-For", "X-Forwarded-Proto", "x-forwarded-host"],
    ...["X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Anything-Else"],
  ])("what a proxy passed on with %s is not from this machine", async (name) => {
    const { url } = await madeUpWeb();
    expect(await tries(url, { token: null, headers: { [name]: "192.0.2.7" } })).toMatchObject({
      ...{ read: 401, beat: 401, simple: 401, change: 401, metrics: 401 },
    });
  });

  it("beats without a token can be turned off, and on again", async () => {
    const { url, prepare } = await madeUpWeb({ access: { unprovenBeats: false } });
    expect(await tries(url, { token: null })).toMatchObject({ beat: 401, simple: 401 });
    const said = await ask(`${url}/beat/allegro`);
    expect(said.json.detail).toContain("access.unprovenBeats");
    expect((await ask(`${url}/beat/allegro`, { token: HOME_TOKEN })).status).toBe(200);
    prepare({ names: [], access: { unprovenBeats: true } })();
    expect(await tries(url, { token: null })).toMatchObject({ beat: 204, simple: 200 });
  });

  it("a name of the config is let in, and is not from this machine either", async () => {
    const { url } = await madeUpWeb({ names: ["roll.example"] });
    expect(await tries(url, { token: null, headers: { host: "roll.example" } })).toMatchObject({
      read: 401,
      beat: 401,
    });
    expect(await tries(url, { headers: { host: "roll.example" }, token: HOME_TOKEN })).toMatchObject({
      read: 200,
    });
  });
});

describe("from outside loopback", () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal)?.address;

  it("it does not even listen while there is no token", async () => {
    await expect(madeUpWeb({ host: "0.0.0.0" })).rejects.toThrow(/no token yet.*rollcall token create/s);
  });

  it("no token gets nothing but the way in, and each scope gets its own", async (context) => {
    if (outside === undefined) return context.skip("this machine has no address but loopback");
    const { store, secret: admin } = await withToken("admin");
    const { secret: read } = await withToken("read", {}, store);
    const { secret: beats } = await withToken("beat", {}, store);
    const { secret: one } = await withToken("beat", { agent: "other" }, store);
    const { url: local } = await madeUpWeb({ host: "0.0.0.0", store });
    const url = local.replace("127.0.0.1", outside);
    const none = { read: 401, beat: 401, simple: 401, change: 401, audit: 401, stream: 401, metrics: 401 };
    expect(await tries(url, { token: null })).toEqual(none);
    expect(await tries(url, { token: admin })).toEqual({
      ...{ read: 200, beat: 204, simple: 200, change: 204, audit: 200, stream: 405, metrics: 200 },
    });
    expect(await tries(url, { token: read })).toEqual({
      ...{ read: 200, beat: 403, simple: 403, change: 403, audit: 403, stream: 405, metrics: 200 },
    });
    expect(await tries(url, { token: beats })).toEqual({
      ...{ read: 403, beat: 204, simple: 200, change: 403, audit: 403, stream: 403, metrics: 403 },
    });
    expect(await tries(url, { token: one })).toMatchObject({ beat: 403, simple: 403 });
    expect((await ask(`${url}/beat/other`, { token: one })).status).toBe(200);
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    expect((await ask(`${url}/`)).status).toBe(200);
    expect((await ask(`${url}/api/v1/session`, { token: null })).json).toMatchObject({
      signedIn: false,
      needs: "token",
    });
  });

  it("who may not beat does not see the addresses that would let them", async (context) => {
    if (outside === undefined) return context.skip("this machine has no address but loopback");
    const { store, secret } = await withToken("read");
    const { url } = await madeUpWeb({ host: "0.0.0.0", store });
    await ask(`${url}/beat/allegro`);
    expect((await ask(`${url}/api/v1/agents`)).json.agents[0].pingUuid).toMatch(/^[0-9a-f-]{36}$/);
    const shown = await ask(`${url.replace("127.0.0.1", outside)}/api/v1/agents`, { token: secret });
    expect(shown.json.agents[0].pingUuid).toBeNull();
  });

  it("who guesses is slowed down", async (context) => {
    if (outside === undefined) return context.skip("this machine has no address but loopback");
    const { store } = await withToken("read");
    const { url } = await madeUpWeb({ host: "0.0.0.0", store });
    const guess = () => ask(`${url.replace("127.0.0.1", outside)}/api/v1/agents`, { token: "guess" });
    const said: Said[] = await Promise.all(Array.from({ length: 100 }, guess));
    const refused = said.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]).toMatchObject({ json: { code: "too-many-requests" } });
    expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(0);
  });
});

describe("tokens", () => {
  it("are made, listed without their secret, taken back, and stand in the audit log", async () => {
    const { url, store } = await madeUpWeb();
    const made = await ask(`${url}/api/v1/tokens`, {
      method: "POST",
      token: HOME_TOKEN,
      body: { scope: "admin", name: "for Ann" },
    });
    expect(made.status).toBe(201);
    const { secret, token } = made.json as { secret: string; token: { id: string } };
    const listed = await ask(`${url}/api/v1/tokens`, { token: secret });
    expect(listed.json.tokens).toMatchObject([{ id: token.id, name: "for Ann", scope: "admin" }]);
    expect(listed.body).not.toContain(secret);
    expect(listed.body).not.toContain("hash");
    expect(JSON.stringify(await store.records.page("token", { limit: 9 }))).not.toContain(secret.slice(-32));
    await ask(`${url}/api/v1/agents/nobody/pause`, { method: "POST", token: secret });
    const gone = await ask(`${url}/api/v1/tokens/${token.id}`, { method: "DELETE", token: secret });
    expect(gone.status).toBe(204);
    expect((await ask(`${url}/api/v1/tokens`, { token: secret })).status).toBe(401);
    expect(
      (await ask(`${url}/api/v1/tokens/${token.id}`, { method: "DELETE", token: HOME_TOKEN })).json.code,
    ).toBe("no-such-token");
    const log = await ask(`${url}/api/v1/audit`, { token: HOME_TOKEN });
    // What did not change anything is not in it.
    expect(log.json.audit.map(({ who, what }: Record<string, string>) => `${who}: ${what}`)).toEqual([
      `for Ann: DELETE /api/v1/tokens/${token.id}`,
      "home token: POST /api/v1/tokens",
    ]);
  });

  it.each([
    ["a scope that is none", { scope: "root" }, "scope: expected beat, read, admin"],
    ["an agent beside another scope", { scope: "read", agent: "a" }, "agent: expected the scope beat"],
    ["a ping key of another scope", { scope: "admin", pingKey: true }, "pingKey: expected the scope beat"],
    ["an agent that is none", { scope: "beat", agent: "../x" }, "agent: expected an agent id"],
  ])("%s is refused", async (_, body, detail) => {
    const { url } = await madeUpWeb();
    const said = await ask(`${url}/api/v1/tokens`, { method: "POST", token: HOME_TOKEN, body });
    expect(said).toMatchObject({ status: 400, json: { code: "bad-token" } });
    expect(said.json.detail).toContain(detail);
  });

  it("still count after a restart", async () => {
    const { store, secret } = await withToken("read", {}, memoryStore());
    const first = await madeUpWeb({ store });
    await first.watcher.stop();
    const { url } = await madeUpWeb({ store });
    expect((await ask(`${url}/api/v1/session`, { token: secret })).json).toMatchObject({ scope: "read" });
  });
});
