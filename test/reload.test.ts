import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { up } from "../src/app/lifecycle.ts";
import { TAKEN } from "../src/app/reload.ts";
import type { Up } from "../src/app/start.ts";
import { RESTART_ONLY } from "../src/config/restart-only.ts";
import { configSchema } from "../src/config/schema.ts";
import { tellingOf } from "../src/features/telling/routing.ts";
import { removeFolder } from "./remove-folder.ts";

const own = `rollcall@${hostname().split(".")[0]}`;
const home = mkdtempSync(join(tmpdir(), "rollcall-reload-"));
const heard: string[] = [];
const outside = createServer((asked, answer) => {
  heard.push(asked.url ?? "");
  answer.end("{}");
});
let far = "";
let watcher: Up;

/** What stands in the config at first: nothing comes due by itself. */
const FIRST = {
  livenessInterval: "1h",
  agents: [{ id: "a" }, { id: "seen", process: { pidFile: join(home, "seen.pid") } }],
  heartbeat: { actions: [{ name: "greet", every: "1d", module: "greet.mjs" }] },
};

beforeAll(async () => {
  outside.listen(0, "127.0.0.1");
  await once(outside, "listening");
  far = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  writeFileSync(
    join(home, "greet.mjs"),
    "export default { execute: async ({ runtime }) => ({ shouldNotify: true, message: 'I am ' + runtime.agent.id }) }",
  );
  writeFileSync(join(home, "rollcall.yaml"), stringify(FIRST));
  watcher = await up({ home, listen: "127.0.0.1:0" });
});

afterAll(async () => {
  await watcher.stop();
  outside.close();
  await removeFolder(home);
});

/** Changes the config as a person would, and reloads it. */
function reload(change: object): Promise<readonly string[]> {
  writeFileSync(join(home, "rollcall.yaml"), stringify({ ...FIRST, ...change }));
  return watcher.reload();
}

function ask(method: string, path: string, more: { host?: string; body?: object; token?: string } = {}) {
  const token = more.token ?? readFileSync(join(home, "token"), "utf8").trim();
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    ...(more.host === undefined ? {} : { host: more.host }),
  };
  return new Promise<{ status: number | undefined; body: never }>((done, failed) => {
    const asked = request(`${watcher.url}${path}`, { method, headers }, async (answer: IncomingMessage) => {
      let text = "";
      for await (const part of answer.setEncoding("utf8")) text += part;
      done({ status: answer.statusCode, body: (text === "" ? null : JSON.parse(text)) as never });
    });
    asked.on("error", failed);
    asked.end(more.body === undefined ? undefined : JSON.stringify(more.body));
  });
}

const get = async <T>(path: string) => (await ask("GET", `/api/v1${path}`)).body as T;
const agent = async (id: string) =>
  (await get<{ agents: [{ state: string; rule: object | null }] }>(`/agents/${id}`)).agents[0];
const beat = (id: string) => ask("POST", "/api/v1/beats", { body: { agent: id } });
const actions = async () =>
  (await get<{ actions: { name: string }[] }>("/actions")).actions.map(({ name }) => name);
const run = async (name: string) =>
  (await ask("POST", `/api/v1/actions/${name}/run`)).body as { run: { outcome: string } };
const deliveries = (to: string) =>
  get<{ deliveries: { message: { title: string }; attempts: number }[] }>(`/deliveries?to=${to}&limit=50`);

const quiet = (name: string, argv = ["true"]) => ({ channels: { [name]: { kind: "command", argv } } });
const policy = (change: object) => tellingOf(configSchema.parse({ ...quiet("here"), policy: change }));

const answersTo = async (name: string) =>
  (await ask("GET", "/api/v1/watcher", { host: name })).status === 200;

/** For each key that is live: what a person would see of a change of it in a watcher that goes on running. */
const LIVE: Readonly<Record<string, () => Promise<void>>> = {
  names: async () => {
    expect(await answersTo("roll.example.org")).toBe(false);
    await reload({ names: ["roll.example.org"] });
    expect(await answersTo("roll.example.org")).toBe(true);
  },
  // The old name of names.
  hosts: async () => {
    expect(await answersTo("old.example.org")).toBe(false);
    await reload({ hosts: ["old.example.org"] });
    expect(await answersTo("old.example.org")).toBe(true);
  },
  // The token of the home is the owner's and names any file; a token that was made is bound to these folders.
  "access.folders": async () => {
    const made = await ask("POST", "/api/v1/tokens", { body: { scope: "admin" } });
    const { secret: token } = made.body as { secret: string };
    const add = (id: string, path: string, more: { token?: string } = {}) =>
      ask("POST", "/api/v1/agents", {
        body: { id, log: { path }, name: "password=hunter2" },
        ...more,
      });
    const elsewhere = mkdtempSync(join(tmpdir(), "rollcall-elsewhere-"));
    const path = join(elsewhere, "far.log");
    for (const file of ["/etc/shadow", join(home, "token"), path]) {
      expect(await add("bound", file, { token })).toMatchObject({ status: 400, body: { code: "bad-agent" } });
    }
    expect((await add("piped", join(home, "logs", "piped.log"), { token })).status).toBe(204);
    expect((await add("owned", path)).status).toBe(204);
    await reload({ access: { folders: [elsewhere] } });
    expect((await add("bound", path, { token })).status).toBe(204);
    const { audit } = await get<{ audit: { what: string }[] }>("/audit?limit=10");
    const entry = audit.find(({ what }) => what.includes('"bound"'))?.what;
    expect(entry).toContain(`POST /api/v1/agents {"id":"bound","log":{"path":"${path}"}`);
    expect(entry).not.toContain("hunter2");
    for (const id of ["piped", "owned", "bound"]) await ask("DELETE", `/api/v1/agents/${id}`);
    rmSync(elsewhere, { recursive: true });
  },
  livenessInterval: async () => {
    writeFileSync(join(home, "seen.pid"), `${process.pid}\n`);
    await reload({ livenessInterval: "20ms" });
    await expect.poll(async () => (await agent("seen")).state).toBe("alive");
  },
  // A pack that is bad is refused; test/packs.test.ts reads screens by a good one.
  packs: async () => {
    await expect(reload({ packs: ["gone.yaml"] })).rejects.toThrow("gone.yaml: there is no such file");
  },
  autoRegister: async () => {
    await reload({ autoRegister: false });
    expect((await beat("stranger")).status).toBeGreaterThanOrEqual(400);
    await reload({ autoRegister: true });
    expect((await beat("stranger")).status).toBeLessThan(300);
    // Without a token the limits hold, the ones of the file.
    const unproven = (id: string) => fetch(`${watcher.url}/beat/${id}`);
    await reload({ autoRegister: { max: 1 } });
    expect((await unproven("first")).status).toBe(200);
    expect((await unproven("second")).status).toBe(429);
    await reload({ autoRegister: { max: 2 } });
    expect((await unproven("second")).status).toBe(200);
  },
  "access.badges": async () => {
    // Also for a page of somebody else, and nobody learns of agents that have none.
    const headers = { "sec-fetch-site": "cross-site" };
    const see = async (id: string) => (await fetch(`${watcher.url}/badge/${id}.svg`, { headers })).status;
    await beat("shown");
    expect(await see("shown")).toBe(404);
    await reload({ access: { badges: ["sh*"] } });
    expect([await see("shown"), await see("she"), await see("a")]).toEqual([200, 404, 404]);
  },
  "access.unprovenBeats": async () => {
    await reload({});
    const anybody = async () => (await fetch(`${watcher.url}/beat/unproven`)).status;
    expect(await anybody()).toBe(200);
    await reload({ access: { unprovenBeats: false } });
    expect(await anybody()).toBe(401);
    expect((await beat("unproven")).status).toBe(204);
  },
  "defaults.every": async () => {
    await reload({ defaults: { every: "7m" } });
    expect((await agent("a")).rule).toMatchObject({ every: "7m" });
  },
  "defaults.grace": async () => {
    await reload({ defaults: { grace: "3m" } });
    expect((await agent("a")).rule).toMatchObject({ grace: "3m" });
  },
  // Each round compares with the budget of the config in force (src/features/usage.test.ts).
  "defaults.budget.day": async () => {
    expect(await reload({ defaults: { budget: { day: "20 USD" } } })).toEqual([]);
  },
  "defaults.budget.tokens": async () => {
    expect(await reload({ defaults: { budget: { tokens: "50M" } } })).toEqual([]);
  },
  "defaults.recover": async () => {
    const restart = async () =>
      JSON.stringify((await ask("POST", "/api/v1/agents/a/restart", { body: {} })).body);
    await reload({ defaults: { recover: [{ do: "restart", with: { command: ["true"] } }] } });
    expect(await restart()).not.toContain("have no restart step");
    await reload({});
    expect(await restart()).toContain("have no restart step");
  },
  "retention.beats": async () => {
    const beats = async () => (await get<{ beats: object[] }>("/agents/a/beats?limit=5")).beats.length;
    await beat("a");
    await beat("a");
    expect(await beats()).toBe(2);
    await reload({ retention: { beats: "1ms" } });
    // The newest one is kept, however old it is.
    await expect.poll(beats).toBe(1);
  },
  "retention.flips": async () => {
    const flips = async () => (await get<{ flips: object[] }>("/agents/seen/flips?limit=5")).flips.length;
    expect(await flips()).toBeGreaterThan(0);
    await reload({ retention: { flips: "1ms" } });
    await expect.poll(flips).toBe(0);
  },
  channels: async () => {
    await reload(quiet("there"));
    await run("greet");
    expect((await deliveries("there")).deliveries).toHaveLength(1);
  },
  page: async () => {
    const { page } = tellingOf(configSchema.parse({ page: "https://roll.example.org/" }));
    expect(page).toBe("https://roll.example.org");
  },
  "policy.tell": async () => expect(policy({ tell: [] })).not.toEqual(policy({})),
  "policy.hold": async () => expect(policy({ hold: "1s" })).toMatchObject({ hold: 1000 }),
  "policy.group": async () => expect(policy({ group: "1s" })).toMatchObject({ group: 1000 }),
  "policy.remind": async () => expect(policy({ remind: "1s" })).toMatchObject({ remindEvery: 1000 }),
  "policy.escalate": async () => {
    expect(policy({ escalate: { after: "1h", to: ["here"] } }).escalate).toBeDefined();
  },
  "policy.quietHours": async () => expect(policy({ quietHours: "22:00-07:00" }).quiet).toBeDefined(),
  "policy.windows": async () => {
    const windows = [{ agents: "web-*", hours: "02:00-04:00" }];
    const at = Date.parse("2026-03-02T03:00:00Z");
    const { maintained } = policy({ windows, timezone: "UTC" });
    expect(maintained?.("web-1", at)).toBe(at + 3_600_000);
    expect(maintained?.("db", at)).toBeUndefined();
  },
  "policy.timezone": async () => {
    const at = Date.parse("2026-03-02T00:00:00Z");
    const hours = (timezone: string) => policy({ quietHours: "22:00-07:00", timezone }).quiet?.(at);
    expect(hours("Asia/Tokyo")).toBeUndefined();
    expect(hours("UTC")).toBeDefined();
  },
  "policy.timeout": async () => {
    await reload({ ...quiet("slow", ["sleep", "60"]), policy: { timeout: "50ms" } });
    await run("greet");
    await expect.poll(async () => (await deliveries("slow")).deliveries[0]?.attempts).toBeGreaterThan(0);
  },
  "heartbeat.enabled": async () => {
    await reload({ heartbeat: { enabled: false } });
    expect(await actions()).toEqual([]);
  },
  "heartbeat.agent": async () => {
    await reload({ ...quiet("who"), heartbeat: { ...FIRST.heartbeat, agent: "allegro" } });
    await run("greet");
    expect((await deliveries("who")).deliveries[0]?.message.title).toBe("I am allegro");
  },
  "heartbeat.actions": async () => {
    const other = { name: "other", every: "1d", command: { argv: ["true"] } };
    await reload({ heartbeat: { actions: [other] } });
    expect(await actions()).toContain("other");
  },
  tasks: async () => {
    writeFileSync(join(home, "other.json"), "[]");
    await reload({});
    expect((await run("task-scan")).run.outcome).toBe("skipped");
    await reload({ tasks: { file: { path: "other.json" } } });
    expect((await run("task-scan")).run.outcome).toBe("done");
  },
  "daemon.heartbeat.every": async () => {
    const newest = async () =>
      (await get<{ beats: { cycle: number }[] }>(`/agents/${own}/beats?limit=1`)).beats[0]?.cycle ?? 0;
    const before = await newest();
    await reload({ daemon: { heartbeat: { every: "20ms" } } });
    await expect.poll(newest).toBeGreaterThan(before + 3);
  },
  "daemon.heartbeat.grace": async () => {
    await reload({ daemon: { heartbeat: { grace: "2m" } } });
    expect((await agent(own)).rule).toMatchObject({ grace: "2m" });
  },
  "daemon.heartbeat.ping": async () => {
    await reload({ daemon: { heartbeat: { ping: `${far}/ping` } } });
    await expect.poll(() => heard).toContain("/ping");
  },
  "daemon.heartbeat.to": async () => {
    const beats = join(home, "beats-told");
    const argv = ["sh", "-c", `echo "$ROLLCALL_TITLE" >> ${beats}`];
    await reload({ ...quiet("own", argv), daemon: { heartbeat: { every: "21ms", to: "own" } } });
    await expect.poll(() => (existsSync(beats) ? readFileSync(beats, "utf8") : "")).toContain(`${own}: ok`);
  },
  "daemon.heartbeat.telegram": async () => {
    writeFileSync(join(home, "token-of-bot"), "1:abc");
    const telegram = { chat: 1, url: far, tokenFile: "token-of-bot" };
    await reload({ daemon: { heartbeat: { every: "19ms", telegram } } });
    await expect.poll(() => heard).toContain("/bot1:abc/sendMessage");
  },
  forge: async () => {
    await reload({ forge: { kind: "github", repo: "o/r", tokenEnv: "NO_SUCH_TOKEN" } });
    expect(await actions()).toContain("issues");
  },
  tick: async () => {
    await reload({ tick: { registry: "r.json", ticks: "ticks" } });
    expect(await actions()).toContain("tick-submit");
  },
  "hub.url": async () => {
    writeFileSync(join(home, "token-of-host"), "rc_0");
    await reload({ hub: { url: far, tokenFile: join(home, "token-of-host") } });
    await expect.poll(() => heard).toContain("/hub/v1/facts");
  },
  "hub.tokenFile": async () => {
    writeFileSync(join(home, "token-of-other"), "rc_1");
    await reload({ hub: { url: far, tokenFile: join(home, "token-of-other") } });
    const before = heard.length;
    await reload({ hub: { url: far, tokenFile: join(home, "token-of-host") } });
    await expect.poll(() => heard.slice(before)).toContain("/hub/v1/facts");
  },
  "hub.allow": async () => {
    await reload({ hub: { allow: ["look"] } });
    const { values } = await get<{ values: { path: string; value: unknown }[] }>("/config");
    expect(values.find(({ path }) => path === "hub.allow")?.value).toEqual(["look"]);
  },
  "hub.cutOff": async () => {
    const cutOff = { after: "1ms", tell: ["cut"] };
    const channels = { cut: { kind: "ntfy", url: far, topic: "cut-off" } };
    const before = heard.length;
    const hub = { url: far, tokenFile: join(home, "token-of-host"), cutOff };
    await reload({ channels, hub });
    // ntfy is told at its root.
    await expect.poll(() => heard.slice(before)).toContain("/");
  },
  agents: async () => {
    await reload({ agents: [...FIRST.agents, { id: "joined", every: "1h" }] });
    expect(await agent("joined")).toMatchObject({ id: "joined" });
  },
};

/** Where a part takes over a whole section by comparing it: its keys need no check of their own. */
const WHOLE = new Set([
  ...["channels", "tasks", "forge", "tick", "agents", "heartbeat.actions"],
  ...["policy.escalate", "daemon.heartbeat.telegram", "hub.cutOff"],
]);

/** Every key of the schema, down to where a section is taken over whole. */
function keysOf(schema: unknown, path = ""): readonly string[] {
  const { def } = schema as { def: Record<string, unknown> };
  const inner = def.innerType ?? (def.type === "pipe" ? def.in : undefined);
  if (inner !== undefined && !WHOLE.has(path)) return keysOf(inner, path);
  if (def.type !== "object" || WHOLE.has(path)) return [path];
  const shape = def.shape as Record<string, unknown>;
  return Object.entries(shape).flatMap(([key, each]) => keysOf(each, path === "" ? key : `${path}.${key}`));
}

describe("a reload", () => {
  const keys = keysOf(configSchema);

  it("puts each key of the config in force, or says that it needs a restart", () => {
    expect([...keys].sort()).toEqual([...Object.keys(LIVE), ...Object.keys(RESTART_ONLY)].sort());
  });

  it("has a part for each key that is live", () => {
    const taken = new Set(Object.values(TAKEN).flat());
    expect([...taken, ...Object.keys(RESTART_ONLY)].sort()).toEqual([...keys].sort());
  });

  it.each(Object.entries(LIVE))("puts %s in force", async (_, check) => {
    await check();
  });

  it.each([
    ["listen", { listen: "127.0.0.1:1" }, "127.0.0.1:1"],
    ["hub.serve", { hub: { serve: true } }, true],
    ["store.urlEnv", { store: { urlEnv: "STORE_URL" } }, "STORE_URL"],
    ["daemon.pidFile", { daemon: { pidFile: "other.pid" } }, "other.pid"],
    ["daemon.watchdogInterval", { daemon: { watchdogInterval: "5m" } }, 300_000],
  ])("says that %s needs a restart, and shows the value in force", async (key, change, value) => {
    const needed = await reload(change);
    expect(needed).toEqual([expect.stringContaining(`${key}: not in force yet`)]);
    expect((await get<{ needsRestart: string[] }>("/watcher")).needsRestart).toEqual(needed);
    const { values } = await get<{ values: { path: string; value: unknown }[] }>("/config");
    expect(values.find(({ path }) => path === key)?.value).not.toBe(value);
    expect(await reload({})).toEqual([]);
  });

  it("names the address that outranks listen, which a plain restart keeps", async () => {
    expect(await reload({ listen: "127.0.0.1:1" })).toEqual([
      "listen: not in force yet, because the watcher was started with --listen 127.0.0.1:0; " +
        "it needs: rollcall daemon restart --listen 127.0.0.1:1",
    ]);
    expect(await reload({})).toEqual([]);
  });

  it("that is refused changes nothing", async () => {
    await reload({});
    const before = await actions();
    const bad = {
      hosts: ["roll.example.org"],
      agents: [],
      heartbeat: { actions: [{ name: "x", every: "1h", module: "gone.mjs" }] },
    };
    await expect(reload(bad)).rejects.toThrow("gone.mjs: there is no such file");
    expect(await actions()).toEqual(before);
    expect(await agent("a")).toMatchObject({ id: "a" });
    expect((await ask("GET", "/api/v1/watcher", { host: "roll.example.org" })).status).toBe(403);
  });

  it.each([
    ["empty", "", "it is empty; expected keys such as agents: []"],
    ["only a comment", "# agents:\n\n", "it is empty"],
    ["gone", undefined, "it was in force, and it is gone; put it back"],
  ])("of a file that is %s is refused, by signal and by request", async (_, text, why) => {
    await reload({});
    const file = join(home, "rollcall.yaml");
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    await expect(watcher.reload()).rejects.toThrow(why);
    expect(await ask("POST", "/api/v1/watcher/reload", { body: {} })).toMatchObject({
      status: 409,
      body: { code: "config-refused", detail: expect.stringContaining(`${file}: `) },
    });
    expect(await agent("a")).toMatchObject({ id: "a" });
  });

  it("that takes most agents away is refused and told once, unless somebody says that it is meant", async () => {
    const told = join(home, "told");
    const channels = quiet("ops", ["sh", "-c", `echo "$ROLLCALL_TITLE" >> ${told}`]);
    const messages = () => (existsSync(told) ? readFileSync(told, "utf8").trim().split("\n") : []);
    const five = ["b", "c", "d", "e", "f"].map((id) => ({ id }));
    const many = { ...channels, agents: [{ id: "a" }, ...five.slice(0, 4)] };
    const few = { ...channels, agents: [{ id: "a" }, { id: "b" }] };
    await reload(many);
    for (const _ of [1, 2])
      await expect(reload(few)).rejects.toThrow("removes 3 of 5 declared agents (c, d, e)");
    expect(await agent("e")).toMatchObject({ id: "e" });
    const asked = (body: object) => ask("POST", "/api/v1/watcher/reload", { body });
    expect(await asked({})).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("rollcall daemon reload --yes") },
    });
    expect(await asked({ yes: true })).toMatchObject({ status: 200, body: { needsRestart: [] } });
    expect((await ask("GET", "/api/v1/agents/e")).status).toBe(404);
    // Half of them, or two, are a matter of course.
    await reload({ ...channels, agents: [{ id: "a" }, ...five] });
    await reload({ ...channels, agents: five.slice(2) });
    await reload({ ...channels, agents: five.slice(4) });
    await reload(many);
    await expect(reload({ ...channels, agents: [] })).rejects.toThrow("removes 5 of 5");
    await expect.poll(messages, { timeout: 30_000 }).toHaveLength(2);
    expect(messages()[0]).toContain("config not reloaded");
    expect(messages()[1]).toContain("removes 5 of 5");
    expect((await asked({ yes: true })).status).toBe(200);
  });
});
