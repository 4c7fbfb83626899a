import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMMANDS } from "../src/core/host/command.ts";
import { agentOf, cli, daemon, http, type RunningDaemon, temporaryHome, until } from "./product.ts";
import { hasTmux, tmux, whyNoTmux } from "./watching.ts";

/** Keeps each message that people get, one a line. */
function hubConfig(home: string): string {
  return `listen: 127.0.0.1:0
policy: { hold: 1s, group: 500ms }
channels:
  ops: { kind: command, argv: [sh, -c, "cat >> ${home}/told.jsonl; echo >> ${home}/told.jsonl"] }
`;
}

const hub = (home: string) => daemon(home, {}, {}, ["--hub"]);

/** A way to the hub that can be cut: then it says nothing at all, as a network that lost the packets. */
async function wire(target: () => string) {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    open.add(near);
    near.on("error", () => {});
    near.on("close", () => open.delete(near));
    if (isCut) return;
    const { hostname, port } = new URL(target());
    const far = connect(Number(port), hostname);
    open.add(far);
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const cut = (yes: boolean) => {
    isCut = yes;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut(true);
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}

/** Invites a host and lets it join, as a person does with two commands. */
async function join2(
  hubHome: string,
  hostHome: string,
  name: string,
  via?: string,
  kind = "server",
): Promise<void> {
  const invited = await cli(hubHome, "hosts", "invite", name, "--kind", kind);
  expect(invited.status, invited.stderr).toBe(0);
  const [, , url = "", code = ""] = invited.stdout.trim().split(/\s+/);
  const joined = await cli(hostHome, "join", via ?? url, code);
  expect(joined.status, joined.stderr).toBe(0);
}

async function hostOf(hubHome: string, name: string): Promise<Record<string, unknown> | undefined> {
  const { stdout } = await cli(hubHome, "hosts", "--json");
  return (JSON.parse(stdout) as { hosts: Record<string, unknown>[] }).hosts.find(
    (each) => each.name === name,
  );
}

async function openIncidents(home: string): Promise<readonly string[]> {
  const { stdout } = await cli(home, "incidents", "list", "--json");
  return (JSON.parse(stdout) as { incidents: { id: string }[] }).incidents.map(({ id }) => id);
}

const isIn = (url: string, id: string, state: string) =>
  until(
    () => agentOf(url, id),
    (agent) => agent?.state === state,
  );

/** The flips of an agent to or from trouble, as a list of where it went. */
async function flips(home: string, id: string): Promise<readonly string[]> {
  const { stdout } = await cli(home, "flips", id, "--json");
  const all = (JSON.parse(stdout) as { flips: { from: string; to: string; at: string }[] }).flips;
  return all.filter(({ from, to }) => [from, to].includes("failing")).map(({ to, at }) => `${to} ${at}`);
}

describe("a host and its hub", () => {
  it("join by two commands; the hub shows, tells and asks for it", { timeout: 120_000 }, async () => {
    const [hubHome, hostHome] = [temporaryHome(), temporaryHome("listen: 127.0.0.1:0\n")];
    writeFileSync(join(hubHome, "rollcall.yaml"), hubConfig(hubHome));
    const center = await hub(hubHome);
    await join2(hubHome, hostHome, "web1");
    expect(statSync(join(hostHome, "hub.token")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(hostHome, "rollcall.yaml"), "utf8")).toBe("listen: 127.0.0.1:0\n");
    const host = await daemon(hostHome);
    await http(`${host.url}/beat/bot?status=error&message=disk+full`);
    const there = await isIn(center.url, "bot@web1", "failing");
    expect(there).toMatchObject({ host: "web1", why: expect.stringContaining("disk full") });
    const told = () =>
      existsSync(join(hubHome, "told.jsonl")) ? readFileSync(join(hubHome, "told.jsonl"), "utf8") : "";
    await until(told, (text) => text.includes("bot on web1 is failing"));
    const listed = await until(
      () => hostOf(hubHome, "web1"),
      (each) => "failing" in ((each?.agents ?? {}) as object),
    );
    expect(listed).toMatchObject({ kind: "server", state: "alive", backlog: 0, agents: { failing: 1 } });

    const explained = (await cli(hubHome, "explain", "bot@web1")).stdout;
    expect(explained).toContain("It runs on host web1, which judges it.");
    // The host's own evidence, which the hub does not have.
    expect(explained).toMatch(/beat +[^\n]+without a token, status error: disk full/);
    expect((await cli(hubHome, "status", "--host", "web1")).stdout).toContain("bot@web1");
    expect((await cli(hubHome, "status", "--host", "web2")).stdout).toContain("No agent of host web2");
    expect((await cli(hubHome, "incidents", "list", "--host", "web1")).stdout).toContain("@web1");
    expect(await cli(hubHome, "incidents", "list", "--host", "web2")).toMatchObject({ status: 3 });
    expect((await cli(hubHome, "beats", "bot@web1")).stdout).toContain(
      "Run this on web1: rollcall beats bot",
    );
    expect((await cli(hostHome, "status")).stdout).toContain(`reports to the hub ${center.url} as web1`);
    const figures = (await http(`${center.url}/metrics`)).body;
    expect(figures).toContain('rollcall_agents{state="failing",host="web1"} 1');
    expect(figures).toContain('rollcall_agent_state{agent="bot@web1",state="failing",host="web1"} 1');
    expect(figures).toMatch(/rollcall_agent_last_beat_age_seconds\{agent="bot@web1",host="web1"\} \d/);
    expect(figures).toContain('rollcall_host_in_contact{host="web1",kind="server"} 1');
    for (const name of ["last_contact_age_seconds", "backlog", "dropped", "clock_offset_seconds"])
      expect(figures).toMatch(new RegExp(`rollcall_host_${name}\\{host="web1"\\} \\d`));

    const paused = await cli(hubHome, "agents", "pause", "bot@web1");
    expect(paused.status, paused.stderr).toBe(0);
    await isIn(host.url, "bot", "paused");
    await isIn(center.url, "bot@web1", "paused");
    const refused = await cli(hubHome, "agents", "restart", "bot@web1");
    expect(refused.status).not.toBe(0);

    expect((await cli(hubHome, "hosts", "revoke", "web1")).status).toBe(0);
    await until(
      () => agentOf(center.url, "bot@web1"),
      (agent) => agent === undefined,
    );
    await http(`${host.url}/beat/bot`);
    expect(await agentOf(host.url, "bot")).toMatchObject({ id: "bot" });
    expect((await cli(hostHome, "doctor")).stdout).toContain("does not know this host's token");
    await until(
      () => cli(hostHome, "status"),
      ({ stdout }) => stdout.includes(`Refused by the hub ${center.url} as web1`),
    );
  });

  it("comes and goes by a key that many share, with its agents in one group", {
    timeout: 120_000,
  }, async () => {
    const hubHome = temporaryHome();
    writeFileSync(join(hubHome, "rollcall.yaml"), hubConfig(hubHome));
    const center = await hub(hubHome);
    const { stdout } = await cli(hubHome, "hosts", "invite", "ci", "--kind", "ephemeral", "--ttl", "10m");
    const [, , url = "", key = ""] = stdout.trim().split(/\s+/);
    const runners = await Promise.all(
      ["run1", "run2"].map(async (name) => {
        const home = temporaryHome("listen: 127.0.0.1:0\n");
        const joined = await cli(home, "join", url, key, "--name", name);
        expect(joined.status, joined.stderr).toBe(0);
        return daemon(home);
      }),
    );
    for (const runner of runners) await http(`${runner.url}/beat/job`);
    for (const id of ["job@run1", "job@run2"])
      expect(await isIn(center.url, id, "alive")).toMatchObject({ group: "ci" });
    await runners[0]?.end("SIGTERM");
    await until(
      () => agentOf(center.url, "job@run1"),
      (agent) => agent === undefined,
    );
    expect(await hostOf(hubHome, "run1")).toBeUndefined();
    expect((await cli(hubHome, "hosts", "revoke", "ci")).status).toBe(0);
    const late = await cli(temporaryHome(), "join", url, key, "--name", "run3");
    expect(late.status).not.toBe(0);
    expect(late.stderr).toContain("not known or was used");
    expect(await agentOf(center.url, "job@run2")).toMatchObject({ state: "alive" });
    expect(existsSync(join(hubHome, "told.jsonl"))).toBe(false);
  });

  it("resolves an incident where its agent is judged, if that host lets its hub", {
    timeout: 120_000,
  }, async () => {
    const hubHome = temporaryHome();
    writeFileSync(join(hubHome, "rollcall.yaml"), hubConfig(hubHome));
    const center = await hub(hubHome);
    const hostHome = temporaryHome("listen: 127.0.0.1:0\n");
    await join2(hubHome, hostHome, "web1");
    const host = await daemon(hostHome);
    await http(`${host.url}/beat/bot?status=error`);
    await isIn(center.url, "bot@web1", "failing");
    const [id = ""] = await until(
      () => openIncidents(hubHome),
      (all) => all.length === 1,
    );
    const refused = await cli(hubHome, "incidents", "resolve", id);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("does not let its hub");
    writeFileSync(join(hostHome, "rollcall.yaml"), "listen: 127.0.0.1:0\nhub: { allow: [resolve, run] }\n");
    expect((await cli(hostHome, "daemon", "reload")).status).toBe(0);
    const resolved = await cli(hubHome, "incidents", "resolve", id);
    expect(resolved.status, resolved.stderr).toBe(0);
    await until(
      () => openIncidents(hubHome),
      (all) => all.length === 0,
    );
    expect(await openIncidents(hostHome)).toStrictEqual([]);

    const ran = await cli(hubHome, "actions", "run", "task-scan@web1");
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout).toContain("skipped, no-source");
    expect((await cli(hostHome, "actions", "history", "task-scan")).stdout).toContain("no-source");
    const none = await cli(hubHome, "actions", "run", "nightly@web1");
    expect(none.status).not.toBe(0);
    expect(none.stderr).toContain('there is no action "nightly"');
    const unheard = await cli(hubHome, "explain", "bot@web1");
    expect(unheard.stdout).toContain("More evidence is on host web1, which was not reached");

    const left = await cli(hostHome, "leave");
    expect(left.status, left.stderr).toBe(0);
    expect(left.stdout).toContain("rollcall hosts revoke web1");
    expect(existsSync(join(hostHome, "hub.json")) || existsSync(join(hostHome, "hub.token"))).toBe(false);
    expect((await cli(hostHome, "status")).stdout).not.toContain("hub");
    expect((await cli(hostHome, "leave")).stderr).toContain("has joined no hub");
  });

  it("does not take a hub's own address for that of its hub", { timeout: 60_000 }, async () => {
    const home = temporaryHome("listen: 127.0.0.1:0\nhub: { url: 'https://hub.example.org' }\n");
    const refused = await cli(home, "up");
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("hub.url: this host has no token for https://hub.example.org");
    expect(refused.stderr).toContain("hub.serve: true");
    writeFileSync(
      join(home, "rollcall.yaml"),
      "listen: 127.0.0.1:0\nhub: { url: 'https://hub.example.org', serve: true }\n",
    );
    await daemon(home);
    const invited = await cli(home, "hosts", "invite", "web1");
    expect(invited.stdout).toMatch(/^rollcall join https:\/\/hub\.example\.org \S+\n$/);
  });

  it("refuses a code that was used, is unknown, or is sent to no hub", { timeout: 60_000 }, async () => {
    const [hubHome, first, second, plain] = [
      temporaryHome(),
      temporaryHome(),
      temporaryHome(),
      temporaryHome(),
    ];
    const center = await hub(hubHome);
    const { stdout } = await cli(hubHome, "hosts", "invite", "web1");
    const [, , url = "", code = ""] = stdout.trim().split(/\s+/);
    expect((await cli(first, "join", url, code)).status).toBe(0);
    const again = await cli(second, "join", url, code);
    expect(again).toMatchObject({ status: 1, stdout: "" });
    expect(again.stderr).toContain("not known or was used");
    expect(existsSync(join(second, "hub.json"))).toBe(false);
    const watcher = await daemon(plain);
    expect((await cli(second, "join", watcher.url, code)).stderr).toContain("this is no hub");
    expect((await cli(second, "join", "http://hub.example.org:7766", code)).stderr).toContain("plain HTTP");
    expect((await cli(plain, "hosts")).stderr).toContain("this watcher is no hub");
    expect((await http(`${center.url}/hub/v1/facts`, { method: "POST", body: "{}" })).status).toBe(401);
  });

  it("tells everything once after a cut in which both were killed", { timeout: 240_000 }, async () => {
    const [hubHome, hostHome] = [temporaryHome(), temporaryHome("listen: 127.0.0.1:0\n")];
    writeFileSync(join(hubHome, "rollcall.yaml"), hubConfig(hubHome));
    let center = await hub(hubHome);
    const line = await wire(() => center.url);
    await join2(hubHome, hostHome, "web1", line.url);
    let host: RunningDaemon = await daemon(hostHome);
    const say = (status: string) => http(`${host.url}/beat/bot?status=${status}`);
    await say("ok");
    await say("error");
    await isIn(center.url, "bot@web1", "failing");
    line.cut(true);
    await say("ok");
    await say("error");
    await say("ok");
    await host.end("SIGKILL");
    await center.end("SIGKILL");
    center = await hub(hubHome);
    host = await daemon(hostHome);
    await say("error");
    await say("ok");
    line.cut(false);
    await isIn(center.url, "bot@web1", "alive");
    const here = await flips(hostHome, "bot");
    expect(here).toHaveLength(6);
    expect(
      await until(
        () => flips(hubHome, "bot@web1"),
        (all) => all.length >= here.length,
      ),
    ).toStrictEqual(here);
    expect((await cli(hubHome, "status", "--json")).stdout).not.toContain('"dead"');
  });
});

describe(`an agent in tmux on a host${whyNoTmux}`, () => {
  it.skipIf(!hasTmux)("is seen, peeked at and told of by the hub", { timeout: 120_000 }, async () => {
    const pane = tmux("echo ready; sleep 600");
    const [hubHome, hostHome] = [
      temporaryHome(),
      temporaryHome(
        `listen: 127.0.0.1:0\nlivenessInterval: 300ms\nagents:\n  - { id: coder, tmux: { session: agent, socket: ${pane.socket} } }\n`,
      ),
    ];
    writeFileSync(join(hubHome, "rollcall.yaml"), hubConfig(hubHome));
    const center = await hub(hubHome);
    await join2(hubHome, hostHome, "web1");
    await daemon(hostHome);
    await until(
      () => agentOf(center.url, "coder@web1"),
      (agent) => agent !== undefined,
    );
    const peeked = await cli(hubHome, "peek", "coder@web1");
    expect(peeked.stdout, peeked.stderr).toContain("ready");
    pane.kill();
    expect(await isIn(center.url, "coder@web1", "dead")).toMatchObject({ host: "web1" });
    await until(
      () =>
        existsSync(join(hubHome, "told.jsonl")) ? readFileSync(join(hubHome, "told.jsonl"), "utf8") : "",
      (text) => text.includes("coder on web1 is dead"),
    );
  });
});

describe("everything that a hub can ask of a host", () => {
  it("names things: nothing that it sends becomes an argument, a path, a file name or keys", {
    timeout: 120_000,
  }, async () => {
    const hostHome = temporaryHome();
    const mark = join(hostHome, "..", `rollcall-mark-${process.pid}`);
    const targets = [
      "../../etc/passwd",
      `$(touch ${mark})`,
      `; touch ${mark}`,
      "a".repeat(9000),
      "x\n\u001b]52;c;x\u0007",
      "",
      "bot\0",
    ];
    const commands = COMMANDS.flatMap((name) => targets.map((target) => ({ name, target })));
    const ended = new Map<number, { end: string }>();
    const fake = createHttpServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const bytes = Buffer.concat(parts);
        const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
        const {
          facts = [],
          from = 0,
          results = [],
        } = JSON.parse(text.toString() || "{}") as {
          facts?: { seq: number }[];
          from?: number;
          results?: { number: number; end: string }[];
        };
        for (const result of results) ended.set(result.number, result);
        const asked = commands.map((command, at) => ({ number: at + 1, by: "ada", ttl: 60_000, ...command }));
        const unknown = [
          { number: 999, name: "exec", target: `touch ${mark}`, by: "ada", ttl: 1000 },
          "text",
          null,
        ];
        response.end(JSON.stringify({ acked: facts.at(-1)?.seq ?? from, commands: [...asked, ...unknown] }));
      });
    });
    await new Promise<void>((done) => fake.listen(0, "127.0.0.1", done));
    onTestFinished(() => void fake.close());
    writeFileSync(join(hostHome, "token-of-hub"), "rc_0\n");
    writeFileSync(
      join(hostHome, "rollcall.yaml"),
      `hub:\n  url: http://127.0.0.1:${(fake.address() as AddressInfo).port}\n  tokenFile: ${hostHome}/token-of-hub\n  allow: [${COMMANDS.join(", ")}]\nagents: [{ id: bot, every: 1h }]\n`,
    );
    await daemon(hostHome);
    await until(
      () => ended.size,
      (count) => count >= commands.length,
    );
    expect([...ended.values()].filter(({ end }) => end === "done")).toEqual([]);
    expect(ended.has(999)).toBe(false);
    expect(existsSync(mark)).toBe(false);
    const files = readdirSync(hostHome, { recursive: true }).map(String);
    expect(files.filter((file) => /passwd|touch|aaaa|bot(?!\.json)/.test(file))).toEqual([]);
  });
});
