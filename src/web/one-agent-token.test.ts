import { expect, it } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb, withToken } from "../../test/made-up-web.ts";
import { memoryStore } from "../store/memory/memory.ts";

const VICTIMS = ["victim", "mine"];

/** A server on which a token and a ping key for `Mine` alone were made; `mine` is another agent. */
async function withOneAgentToken() {
  const store = memoryStore();
  const { secret: token } = await withToken("beat", { agent: "Mine" }, store);
  const { secret: key } = await withToken("beat", { agent: "Mine", pingKey: true }, store);
  const web = await madeUpWeb({ store });
  for (const id of VICTIMS) {
    const added = await ask(`${web.url}/api/v1/agents`, { method: "POST", token: HOME_TOKEN, body: { id } });
    expect(added.status).toBe(204);
  }
  return { ...web, store, token, key };
}

type Web = Awaited<ReturnType<typeof withOneAgentToken>>;

async function expectVictimsUntouched({ store, watcher }: Web): Promise<void> {
  for (const id of VICTIMS) {
    expect(await store.beats(id, { limit: 10 })).toEqual([]);
    expect(await store.records.page("ping", { about: id, limit: 10 })).toEqual([]);
    expect(watcher.reader.place(id)?.entry.standing.verdict.state).toBe("new");
  }
}

it.each([
  ["by address", "GET", "/beat/victim?status=error", undefined, 403],
  ["by address and HEAD", "HEAD", "/beat/victim", undefined, 403],
  ["by address and POST", "POST", "/beat/victim", "text", 403],
  ["by an escaped address", "GET", "/beat/%76ictim", undefined, 403],
  ["in the query beside its own address", "GET", "/beat/Mine?agent=victim&status=error", undefined, 400],
  ["in the query of a POST", "POST", "/beat/Mine?agent=victim", "text", 400],
  ["by the same name in small letters", "GET", "/beat/mine", undefined, 403],
  ["in a body", "POST", "/api/v1/beats", { agent: "victim", status: "error" }, 403],
  ["second in a body", "POST", "/api/v1/beats", '{"agent":"Mine","agent":"victim"}', 403],
  ["within a list", "POST", "/api/v1/beats", [{ agent: "Mine" }, { agent: "victim" }], 403],
] as const)("a token for one agent beats for no other %s", async (_, method, path, body, status) => {
  const web = await withOneAgentToken();
  const { url, token, store } = web;
  expect(await ask(`${url}${path}`, { method, token, body })).toMatchObject({ status });
  await expectVictimsUntouched(web);
  // A list is taken whole or not at all.
  expect(await store.beats("Mine", { limit: 10 })).toEqual([]);
});

it("nobody names a second agent in the query, the owner neither", async () => {
  const web = await withOneAgentToken();
  for (const token of [web.token, HOME_TOKEN]) {
    expect(await ask(`${web.url}/beat/Mine?agent=victim`, { token })).toMatchObject({
      status: 400,
      json: { code: "bad-beat", detail: "agent: the path names the agent; leave it out of the query" },
    });
  }
  await expectVictimsUntouched(web);
});

it("a ping key for one agent pings that very agent, not one of the same name in small letters", async () => {
  const web = await withOneAgentToken();
  expect((await ask(`${web.url}/ping/${web.key}/victim/fail`)).status).toBe(404);
  expect((await ask(`${web.url}/ping/${web.key}/mine/fail`)).status).toBe(404);
  await expectVictimsUntouched(web);
  expect((await ask(`${web.url}/ping/${web.key}/mine/fail?create=1`)).status).toBe(201);
  expect(await web.store.beats("Mine", { limit: 10 })).toMatchObject([{ agent: "Mine", status: "error" }]);
  await expectVictimsUntouched(web);
});

it("a token for one agent gets nothing else at any address of the API", async () => {
  const web = await withOneAgentToken();
  const { url, token } = web;
  const { json } = await ask(`${url}/api/v1/openapi.json`, { token: HOME_TOKEN });
  const open = [
    "/healthz",
    "/readyz",
    "/api/v1/openapi.json",
    "/api/v1/session",
    "/api/v1/beats",
    "/beat/{agent}",
    "/sign-in",
    "/hub/v1/join",
  ];
  const paths = Object.entries(json.paths as Record<string, object>).filter(([path]) => !open.includes(path));
  expect(paths.length).toBeGreaterThan(30);
  for (const [path, methods] of paths) {
    for (const method of Object.keys(methods).map((each) => each.toUpperCase())) {
      const address = `${url}${path.replaceAll(/\{\w+\}/g, "victim")}`;
      const said = await ask(address, { method, token, ...(method === "POST" ? { body: "{}" } : {}) });
      expect([method, path, said.status]).toEqual([method, path, /^\/(ping|badge)\//.test(path) ? 404 : 403]);
    }
  }
  expect((await ask(`${url}/api/v1/session`, { method: "POST", body: { token } })).status).toBe(403);
  await expectVictimsUntouched(web);
  expect((await ask(`${url}/beat/Mine`, { token })).status).toBe(200);
});
