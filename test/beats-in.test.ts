import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  agentOf,
  cli,
  daemon,
  http,
  root,
  runToEnd,
  type StatusJson,
  temporaryHome,
  until,
} from "./product.ts";

describe("each way of beating makes the agent alive", () => {
  it("by command, by its twin in sh, by both HTTP ways and by a touched file", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    const json = { "content-type": "application/json" };

    expect(await cli(home, "beat", "by-command", "--cycle", "7", "--action", "sync inbox")).toMatchObject({
      status: 0,
    });
    const twin = join(root, "bin/rollcall-beat");
    const env = { ROLLCALL_HOME: home };
    expect(await runToEnd(twin, ["by-sh", "--cycle", "8", "--action", 'say "hi"'], env)).toMatchObject({
      status: 0,
    });
    const body = JSON.stringify({ agent: "by-post", cycle: 9, action: "think" });
    expect(await http(`${url}/api/v1/beats`, { method: "POST", headers: json, body })).toMatchObject({
      status: 204,
    });
    expect(await http(`${url}/beat/by-get?cycle=10&action=look%20around`)).toMatchObject({
      status: 200,
      body: "OK\n",
    });
    execFileSync("touch", [join(home, "beats", "by-touch")]);

    for (const [id, cycle, action] of [
      ["by-command", 7, "sync inbox"],
      ["by-sh", 8, 'say "hi"'],
      ["by-post", 9, "think"],
      ["by-get", 10, "look around"],
      ["by-touch", null, null],
    ]) {
      const found = await until(
        () => agentOf(url, String(id)),
        (agent) => agent?.state === "alive",
      );
      expect(found).toMatchObject({ id, cycle, action });
    }
    const { stdout } = await cli(home, "status", "--json");
    const roll = JSON.parse(stdout) as StatusJson;
    expect(roll.watcher).toMatchObject({ running: true, url });
    // The watcher itself is on the roll too.
    expect(roll.agents.map(({ state }) => state)).toEqual(Array(6).fill("alive"));
    const shown = await cli(home, "status");
    expect(shown.stdout).toContain("6 agents: 6 alive");
    expect(shown.stdout).toContain("sync inbox");
  });

  it("HEAD and POST on the short address count too, and a POST's body is the message", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    expect(await http(`${url}/beat/head`, { method: "HEAD" })).toMatchObject({ status: 200 });
    expect(await http(`${url}/beat/post?status=error`, { method: "POST", body: "no disk" })).toMatchObject({
      status: 200,
    });
    expect(await agentOf(url, "head")).toMatchObject({ state: "alive" });
    expect(await agentOf(url, "post")).toMatchObject({ state: "failing", message: "no disk" });
  });

  it("a list of beats is taken whole or not at all", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    const post = (beats: unknown) =>
      http(`${url}/api/v1/beats`, { method: "POST", body: JSON.stringify(beats) });
    const refused = await post([{ agent: "one" }, { agent: "two", cycle: -1 }]);
    expect(refused.status).toBe(400);
    expect(refused.json()).toMatchObject({ code: "bad-beat", detail: expect.stringContaining("[1].cycle") });
    expect(await agentOf(url, "one")).toBeUndefined();
    expect(await post([{ agent: "one" }, { agent: "two" }])).toMatchObject({ status: 204 });
    expect(await agentOf(url, "two")).toMatchObject({ state: "alive" });
  });
});

describe("a beat without a watcher", () => {
  it("waits in the spool, is judged from the file meanwhile, and is taken up once when the watcher starts", async () => {
    const home = temporaryHome();
    await cli(home, "beat", "allegro", "--cycle", "3", "--action", "dig");
    execFileSync("touch", [join(home, "beats", "adagio")]);
    const check = await cli(home, "check", "allegro");
    expect(check).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^allegro: alive: beat .*; expected/),
    });
    const offline = JSON.parse((await cli(home, "status", "--json")).stdout) as StatusJson;
    expect(offline.watcher).toMatchObject({ running: false });
    expect(offline.agents.map(({ id, state }) => [id, state])).toEqual([
      ["adagio", "alive"],
      ["allegro", "alive"],
    ]);
    expect((await cli(home, "status")).stdout).toMatch(/^No watcher is running/);

    const first = await daemon(home);
    expect(await agentOf(first.url, "allegro")).toMatchObject({ state: "alive", cycle: 3, action: "dig" });
    expect(await agentOf(first.url, "adagio")).toMatchObject({ state: "alive" });
    await first.end("SIGTERM");
    await daemon(home);
    const { beats } = JSON.parse((await cli(home, "beats", "allegro", "--json")).stdout) as {
      beats: unknown[];
    };
    expect(beats).toHaveLength(1);
    const touched = JSON.parse((await cli(home, "beats", "adagio", "--json")).stdout) as { beats: unknown[] };
    expect(touched.beats).toHaveLength(1);
  });

  it.each([
    { name: "while the watcher runs", running: true },
    { name: "while none runs", running: false },
  ])("does not bring back an agent that was removed $name", async ({ running }) => {
    const home = temporaryHome();
    const first = await daemon(home);
    execFileSync("touch", [join(home, "beats", "adagio")]);
    await until(
      () => agentOf(first.url, "adagio"),
      (agent) => agent?.state === "alive",
    );
    if (running) expect(await cli(home, "agents", "remove", "adagio")).toMatchObject({ status: 0 });
    await first.end("SIGTERM");
    if (!running) expect(await cli(home, "agents", "remove", "adagio")).toMatchObject({ status: 0 });
    expect(await cli(home, "check", "adagio")).toMatchObject({ status: 3, stdout: "" });
    const { url } = await daemon(home);
    expect(await agentOf(url, "adagio")).toBeUndefined();
  });

  it("does not bring back an agent that left the config while none ran", async () => {
    const home = temporaryHome();
    const config = join(home, "rollcall.yaml");
    writeFileSync(config, "agents: [{ id: adagio, every: 1s, grace: 1s }]\n");
    const first = await daemon(home);
    execFileSync("touch", [join(home, "beats", "adagio")]);
    await until(
      () => agentOf(first.url, "adagio"),
      (agent) => agent?.lastBeatAt != null,
    );
    await first.end("SIGTERM");
    writeFileSync(config, "agents: []\n");
    const { url } = await daemon(home);
    expect(await agentOf(url, "adagio")).toBeUndefined();
  });

  it("A3: that came by HTTP says the same in the agent's file, readable by its owner alone, and in the database", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    await http(`${url}/beat/allegro?cycle=5&action=think&status=error`);
    const file = join(home, "beats", "allegro.json");
    await until(() => existsSync(file), Boolean);
    const said = { agent: "allegro", cycle: 5, action: "think", status: "error" };
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject(said);
    const stored = await cli(home, "beats", "allegro", "--json");
    expect(JSON.parse(stored.stdout)).toMatchObject({ beats: [said] });
    expect(await agentOf(url, "allegro")).toMatchObject({ id: "allegro", cycle: 5, action: "think" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o077).toBe(0);
  });

  it("A4: is dead by the file alone when its stamp is older than 20 minutes, and unknown when it lies in the future", async () => {
    const home = temporaryHome();
    await cli(home, "beat", "other");
    const touch = (name: string, ago: number) => {
      const file = join(home, "beats", name);
      writeFileSync(file, "");
      utimesSync(file, Date.now() / 1000 - ago, Date.now() / 1000 - ago);
    };
    touch("fresh", 14 * 60);
    touch("tardy", 16 * 60);
    touch("gone", 21 * 60);
    touch("ahead", -3600);
    expect(await cli(home, "check", "fresh")).toMatchObject({ status: 0 });
    expect(await cli(home, "check", "tardy")).toMatchObject({ status: 1 });
    expect(await cli(home, "check", "gone")).toMatchObject({
      status: 2,
      stdout: "gone: dead: no beat for 21 min; expected every 15 min, 5 min of grace\n",
    });
    expect(await cli(home, "check", "ahead")).toMatchObject({ status: 3 });
    expect(await cli(home, "check", "nobody")).toMatchObject({
      status: 3,
      stderr: 'rollcall: there is no agent "nobody"\n',
    });
  });
});
