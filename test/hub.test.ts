import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMMANDS } from "../src/core/host/command.ts";
import { agentOf, cli, daemon, http, type RunningDaemon, root, temporaryHome, until } from "./product.ts";

/** Keeps each message that people get, one a line. */
function hubConfig(home: string): string {
  return `listen: 127.0.0.1:0
policy: { hold: 1s, group: 500ms }
channels:
  ops: { kind: command, argv: [sh, -c, "cat >> ${home}/told.jsonl; echo >> ${home}/told.jsonl"] }
`;
}

/** A process whose clock is wrong, as Node's own `Date` shows it. */
const SIX_HOURS_AHEAD = { NODE_OPTIONS: `--import=${join(root, "test/fixtures/six-hours-ahead.js")}` };

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
  // The instruction stands right before the command.
  expect(invited.stderr).toMatch(/^Only this machine can reach the hub .*\n.*\n(Run this|Any number).*\n$/);
  const [, , url = "", code = ""] = invited.stdout.trim().split(/\s+/);
  const joined = await cli(hostHome, "join", via ?? url, code);
  expect(joined.status, joined.stderr).toBe(0);
}

async function openIncidents(url: string): Promise<readonly string[]> {
  const { incidents } = (await http(`${url}/api/v1/incidents?open=true`)).json() as {
    incidents: { id: string }[];
  };
  return incidents.map(({ id }) => id);
}

const isIn = (url: string, id: string, state: string) =>
  until(
    () => agentOf(url, id),
    (agent) => agent?.state === state,
  );

interface Flipped {
  readonly from: string;
  readonly to: string;
  readonly at: string;
}

/** The flips of an agent to or from failing, oldest first. */
async function flipsOf(url: string, id: string): Promise<readonly Flipped[]> {
  const { flips } = (await http(`${url}/api/v1/agents/${id}/flips`)).json() as { flips: Flipped[] };
  return flips
    .filter(({ from, to }) => [from, to].includes("failing"))
    .map(({ from, to, at }) => ({ from, to, at }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** What people were told. */
const told = (home: string) =>
  existsSync(join(home, "told.jsonl")) ? readFileSync(join(home, "told.jsonl"), "utf8") : "";

let newcomers = 0;

/** Something new on a host, so that it speaks to its hub at once. */
async function nudge({ url }: RunningDaemon): Promise<void> {
  newcomers += 1;
  await http(`${url}/beat/newcomer-${newcomers}`);
}

/** A command on the hub that asks a host. The host would hear of it with its next report only, up to 20 s later. */
async function heard<T>(host: RunningDaemon, command: Promise<T>): Promise<T> {
  let isOver = false;
  const over = command.finally(() => {
    isOver = true;
  });
  await until(
    () => nudge(host),
    () => isOver,
  );
  return over;
}

describe("a host and its hub", () => {
  it("join by two commands; the hub shows, tells and asks for it", { timeout: 120_000 }, async () => {
    const [hubHome, hostHome] = [temporaryHome(), temporaryHome()];
    writeFileSync(join(hubHome, "rollcall.yaml"), hubConfig(hubHome));
    writeFileSync(join(hostHome, "coder.log"), "ready\n");
    const config = `listen: 127.0.0.1:0\nagents: [{ id: coder, log: { path: ${hostHome}/coder.log } }]\n`;
    writeFileSync(join(hostHome, "rollcall.yaml"), config);
    const center = await hub(hubHome);
    await join2(hubHome, hostHome, "web1");
    expect(statSync(join(hostHome, "hub.token")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(hostHome, "rollcall.yaml"), "utf8")).toBe(config);
    const host = await daemon(hostHome);
    await http(`${host.url}/beat/bot?status=error&message=disk+full`);
    const there = await isIn(center.url, "bot@web1", "failing");
    expect(there).toMatchObject({ host: "web1", why: expect.stringContaining("disk full") });
    await until(
      () => told(hubHome),
      (text) => text.includes("bot on web1 is failing"),
    );

    const explained = await heard(host, cli(hubHome, "explain", "bot@web1"));
    expect(explained.stdout).toContain("It runs on host web1, which judges it.");
    // The host's own evidence, which the hub does not have.
    expect(explained.stdout).toMatch(/beat +[^\n]+without a token, status error: disk full/);
    expect((await cli(hubHome, "peek", "coder@web1")).stdout).toContain("ready");
    expect((await cli(hubHome, "status", "--host", "web1")).stdout).toContain("bot@web1");
    expect((await cli(hubHome, "agents", "list")).stdout).toMatch(/bot@web1 .* judged by its host/);
    expect((await cli(hubHome, "status", "--host", "web2")).stdout).toContain("No agent of host web2");
    expect((await cli(hubHome, "incidents", "list", "--host", "web1")).stdout).toContain("@web1");
    expect(await cli(hubHome, "incidents", "list", "--host", "web2")).toMatchObject({ status: 3 });
    expect((await cli(hubHome, "beats", "bot@web1")).stdout).toContain(
      "Run this on web1: rollcall beats bot",
    );
    expect((await cli(hubHome, "usage", "bot@web1")).stdout).toContain(
      "Run this on web1: rollcall usage bot",
    );
    expect((await cli(hubHome, "usage")).stdout).toContain("Each host counts its own agents");
    expect((await cli(hostHome, "status")).stdout).toContain(`reports to the hub ${center.url} as web1`);
    expect((await cli(hubHome, "hosts")).stdout).toMatch(/web1 +server +alive .+ right +0 .*1 failing/);
    const figures = (await http(`${center.url}/metrics`)).body;
    expect(figures).toContain('rollcall_agents{state="failing",host="web1"} 1');
    expect(figures).toContain('rollcall_agent_state{agent="bot@web1",state="failing",host="web1"} 1');
    expect(figures).toMatch(/rollcall_agent_last_beat_age_seconds\{agent="bot@web1",host="web1"\} \d/);
    expect(figures).toContain('rollcall_host_in_contact{host="web1",kind="server"} 1');
    for (const name of ["last_contact_age_seconds", "backlog", "dropped", "clock_offset_seconds"])
      expect(figures).toMatch(new RegExp(`rollcall_host_${name}\\{host="web1"\\} \\d`));

    const [id = ""] = await openIncidents(center.url);
    const refused = await heard(host, cli(hubHome, "incidents", "resolve", id));
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("does not let its hub");
    writeFileSync(join(hostHome, "rollcall.yaml"), `${config}hub: { allow: [pause, peek, resolve, run] }\n`);
    expect((await cli(hostHome, "daemon", "reload")).status).toBe(0);
    const resolved = await heard(host, cli(hubHome, "incidents", "resolve", id));
    expect(resolved.status, resolved.stderr).toBe(0);
    for (const url of [center.url, host.url])
      await until(
        () => openIncidents(url),
        (all) => all.length === 0,
      );
    const ran = await cli(hubHome, "actions", "run", "task-scan@web1");
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout).toContain("skipped, no-source");
    const none = await cli(hubHome, "actions", "run", "nightly@web1");
    expect(none.status).not.toBe(0);
    expect(none.stderr).toContain('there is no action "nightly"');
    expect((await cli(hubHome, "explain", "bot@web1")).stdout).toContain(
      "More evidence is on host web1, which was not reached",
    );
    const paused = await cli(hubHome, "agents", "pause", "bot@web1");
    expect(paused.status, paused.stderr).toBe(0);
    await isIn(host.url, "bot", "paused");
    await isIn(center.url, "bot@web1", "paused");
    expect((await cli(hubHome, "agents", "restart", "bot@web1")).status).not.toBe(0);

    expect((await cli(hubHome, "hosts", "revoke", "web1")).status).toBe(0);
    await until(
      () => agentOf(center.url, "bot@web1"),
      (agent) => agent === undefined,
    );
    expect((await cli(hostHome, "doctor")).stdout).toContain("does not know this host's token");
    await nudge(host);
    await until(
      () => cli(hostHome, "status"),
      ({ stdout }) => stdout.includes(`Refused by the hub ${center.url} as web1`),
    );
    const left = await cli(hostHome, "leave");
    expect(left.status, left.stderr).toBe(0);
    expect(left.stdout).toContain("rollcall hosts revoke web1\nIf this home is a copy");
    expect(existsSync(join(hostHome, "hub.json")) || existsSync(join(hostHome, "hub.token"))).toBe(false);
    expect((await cli(hostHome, "status")).stdout).not.toContain("hub");
    expect((await cli(hostHome, "leave")).stderr).toContain("has joined no hub");
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
        return daemon(home, name === "run1" ? SIX_HOURS_AHEAD : {});
      }),
    );
    const began = Date.now();
    for (const runner of runners) await http(`${runner.url}/beat/job`);
    for (const id of ["job@run1", "job@run2"])
      expect(await isIn(center.url, id, "alive")).toMatchObject({ group: "ci" });

    // A clock that is six hours wrong changes no verdict, no date and no order. It is a finding.
    for (const [at, status] of [
      [0, "error"],
      [1, "error"],
      [0, "ok"],
    ] as const) {
      await http(`${runners[at]?.url}/beat/job?status=${status}`);
      await isIn(center.url, `job@run${at + 1}`, status === "ok" ? "alive" : "failing");
    }
    const [wrong, right] = [await flipsOf(center.url, "job@run1"), await flipsOf(center.url, "job@run2")];
    const inOrder = [...wrong.slice(-2, -1), ...right.slice(-1), ...wrong.slice(-1)];
    expect(inOrder.map(({ to }) => to)).toStrictEqual(["failing", "failing", "alive"]);
    const dates = inOrder.map(({ at }) => Date.parse(at));
    expect(dates).toStrictEqual([...dates].sort((one, other) => one - other));
    expect(Math.min(...dates)).toBeGreaterThan(began - 10_000);
    expect(Math.max(...dates)).toBeLessThan(Date.now() + 10_000);
    expect((await cli(hubHome, "hosts", "list")).stdout).toMatch(/run1 +ephemeral +alive .* 6 h fast!/);
    expect((await cli(hubHome, "doctor")).stdout).toContain("the clock of host run1 is 6 h fast");
    await runners[0]?.end("SIGTERM");
    await until(
      () => agentOf(center.url, "job@run1"),
      (agent) => agent === undefined,
    );
    expect((await cli(hubHome, "hosts", "--json")).stdout).not.toContain('"run1"');
    expect((await cli(hubHome, "hosts", "revoke", "ci")).status).toBe(0);
    const late = await cli(temporaryHome(), "join", url, key, "--name", "run3");
    expect(late.status).not.toBe(0);
    expect(late.stderr).toContain("not known or was used");
    expect(await agentOf(center.url, "job@run2")).toMatchObject({ state: "failing" });
    expect(told(hubHome)).not.toContain("out of contact");
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
    expect((await cli(second, "join", watcher.url, code)).stderr).toContain("this is not a hub");
    expect((await cli(second, "join", "http://hub.example.org:7766", code)).stderr).toContain("plain HTTP");
    expect((await cli(plain, "hosts")).stderr).toContain("this watcher is not a hub");
    expect((await http(`${center.url}/hub/v1/facts`, { method: "POST", body: "{}" })).status).toBe(401);
  });

  it("gives its own name to no host: the loss of that host would not show", { timeout: 60_000 }, async () => {
    const home = temporaryHome();
    await hub(home);
    const [own = ""] = hostname().split(".");
    const refusal = { stdout: "", stderr: expect.stringContaining(`the hub itself is called "${own}"`) };
    expect(await cli(home, "hosts", "invite", own)).toMatchObject(refusal);
    const { stdout } = await cli(home, "hosts", "invite", "web1");
    const [, , url = "", code = ""] = stdout.trim().split(/\s+/);
    expect((await cli(temporaryHome(), "join", url, code)).status).toBe(0);
    expect(await cli(home, "hosts", "rename", "web1", own)).toMatchObject(refusal);
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
    const here = await flipsOf(host.url, "bot");
    expect(here).toHaveLength(6);
    expect(
      await until(
        () => flipsOf(center.url, "bot@web1"),
        (all) => all.length >= here.length,
      ),
    ).toStrictEqual(here);
    expect((await cli(hubHome, "status", "--json")).stdout).not.toContain('"dead"');
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
        const answer = { choice: 1, fingerprint: "KGaIiwuX8tHmr25E" };
        const asked = commands.map((command, at) => ({
          ...{ number: at + 1, by: "ada", ttl: 60_000, ...command },
          ...(command.name === "answer" ? { answer } : {}),
        }));
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
