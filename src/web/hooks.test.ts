import { expect, it } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb, withToken } from "../../test/made-up-web.ts";
import type { HookPost } from "../core/hook/event.ts";

const payload = { session_id: "s", hook_event_name: "Stop" };

it("what a client says is taken with its process and the machine's clock, and answered at once", async () => {
  const taken: HookPost[] = [];
  const { store, secret } = await withToken("hook");
  // Nothing that happens to it later keeps the client waiting.
  const takeHook = (post: HookPost) => {
    taken.push(post);
    return new Promise<void>(() => {});
  };
  const { url } = await madeUpWeb({ store, takeHook });
  const how = { method: "POST", token: secret, body: payload };
  expect((await ask(`${url}/hook/codex?pid=42&up=12.34&event=x`, how)).status).toBe(204);
  expect((await ask(`${url}/hook/claude-code?pid=-1&up=no`, how)).status).toBe(204);
  expect(taken).toEqual([
    { client: "codex", payload, event: "x", pid: 42, sent: 12_340 },
    { client: "claude-code", payload, event: undefined, pid: undefined, sent: undefined },
  ]);
});

it("a token of the scope hook sends hooks and nothing else, and no other scope but admin sends them", async () => {
  const { store, secret: hook } = await withToken("hook");
  const { secret: beat } = await withToken("beat", {}, store);
  const { secret: read } = await withToken("read", {}, store);
  const { url } = await madeUpWeb({ store });
  const status = async (path: string, token: string | null, method = "POST") =>
    (await ask(`${url}${path}`, { method, token, ...(method === "POST" && { body: payload }) })).status;
  expect(
    await Promise.all([null, beat, read, hook, HOME_TOKEN].map((token) => status("/hook/codex", token))),
  ).toEqual([401, 403, 403, 204, 204]);
  expect(await status("/api/v1/agents", hook, "GET")).toBe(403);
  expect(await status("/api/v1/beats", hook)).toBe(403);
});

it("a client that nobody knows, another method and what is no JSON are refused", async () => {
  const { url } = await madeUpWeb();
  const how = { method: "POST", token: HOME_TOKEN, body: payload };
  expect(await ask(`${url}/hook/vim`, how)).toMatchObject({ status: 404, json: { code: "not-found" } });
  expect((await ask(`${url}/hook/codex`, { token: HOME_TOKEN })).status).toBe(405);
});
