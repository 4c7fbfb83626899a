import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { load } from "../bench/load.ts";
import { LockedPidFile } from "../src/home/pid-file.ts";
import { incarnationOf } from "../src/system/proc.ts";
import { agentOf, cli, daemon, http, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const LISTEN = ["--listen", "127.0.0.1:0"];

/** A home whose background daemon is killed when the test ends. */
function homeWithDaemon(config?: string): string {
  const home = temporaryHome(config);
  onTestFinished(async () => {
    if (pidOf(home) !== undefined) await killed(home);
  });
  return home;
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

function pidOf(home: string): number | undefined {
  return new LockedPidFile(join(home, "rollcall.pid")).holder()?.incarnation.pid;
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function statusOf(home: string): Promise<Record<string, unknown>> {
  return JSON.parse((await cli(home, "daemon", "status", "--json")).stdout) as Record<string, unknown>;
}

/** The processes that are or would be the watcher of a home. */
async function watchersIn(home: string): Promise<readonly number[]> {
  const { stdout } = await runToEnd("pgrep", ["-f", "bin/rollcall.js up"]);
  const pids = stdout.split("\n").filter(Boolean).map(Number);
  return pids.filter((pid) => environmentOf(pid).includes(`ROLLCALL_HOME=${home}`));
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

async function killed(home: string): Promise<number> {
  const pid = pidOf(home) ?? 0;
  tryKill(pid);
  await until(
    () => incarnationOf(pid),
    (life) => life === undefined,
  );
  return pid;
}

describe("rollcall daemon", () => {
  it("starts, says where, is restarted, and stops with everything saved", async () => {
    const home = homeWithDaemon();
    expect(await statusOf(home)).toMatchObject({ running: false });
    const start = await cli(home, "daemon", "start", ...LISTEN);
    expect(start).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^running: process \d+ at http:/),
    });
    expect(await cli(home, "daemon", "start", ...LISTEN)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^already running: process \d+/),
    });
    const before = await statusOf(home);
    expect(before).toMatchObject({ running: true, pid: pidOf(home), version: "0.1.0" });
    await http(`${before.url}/beat/allegro?cycle=3`);
    expect(await cli(home, "daemon", "restart", ...LISTEN)).toMatchObject({ status: 0 });
    const after = await statusOf(home);
    expect(after.pid).not.toBe(before.pid);
    expect(after.lastCrash).toBeUndefined();
    expect(await agentOf(String(after.url), "allegro")).toMatchObject({ state: "alive", cycle: 3 });
    expect(await cli(home, "daemon", "stop")).toMatchObject({ status: 0, stdout: "stopped\n" });
    expect(existsSync(join(home, "rollcall.pid"))).toBe(false);
    const last =
      readFileSync(join(home, "logs", "rollcall.log"), "utf8")
        .trim()
        .split("\n")
        .at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({ msg: "stopped", cause: expect.stringContaining("SIGTERM") });
    expect(await cli(home, "daemon", "stop")).toMatchObject({ status: 0, stdout: "no daemon was running\n" });
  });

  it("C8: start returns in a shell below a unit, and stays in the foreground as the unit's main process", async () => {
    const home = homeWithDaemon();
    const start = `"$0" "$1" daemon start --listen 127.0.0.1:0`;
    const shell = (script: string) => ["-c", script, process.execPath, rollcall];
    const env = { ROLLCALL_HOME: home, INVOCATION_ID: "8f0a7d1c", SYSTEMD_EXEC_PID: "1", NOTIFY_SOCKET: "" };
    expect(await runToEnd("sh", shell(start), env)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^running: process \d+ at http:/),
    });
    expect(await cli(home, "daemon", "stop")).toMatchObject({ stdout: "stopped\n" });

    for (const started of [`SYSTEMD_EXEC_PID=$$ exec ${start}`, `NOTIFY_SOCKET=/nowhere exec ${start}`]) {
      const child = spawn("sh", shell(started), { env: { ...process.env, ...env }, stdio: "ignore" });
      const gone = once(child, "exit");
      await until(
        () => new LockedPidFile(join(home, "rollcall.pid")).holder(),
        (holder) => holder?.url !== undefined,
      );
      expect(pidOf(home)).toBe(child.pid);
      child.kill("SIGTERM");
      expect(await gone).toEqual([0, null]);
    }
  });

  it("restarts as it was started, and with a broken config not at all: the old one goes on", async () => {
    const home = homeWithDaemon();
    const config = join(home, "elsewhere.yaml");
    writeFileSync(config, "agents: [{ id: allegro, every: 1m }]\n");
    const port = await freePort();
    const flags = ["--config", config, "--listen", `127.0.0.1:${port}`];
    expect(await cli(home, "daemon", "start", ...flags)).toMatchObject({ status: 0 });
    const before = await statusOf(home);

    for (const [broken, why] of [
      [
        "agents: [{ id: allegro, evry: 1m }]\n",
        "elsewhere.yaml:1: agents[0].evry: unknown key; did you mean",
      ],
      ["listen: nowhere\n", 'expected an address such as 127.0.0.1:7766, not "nowhere"'],
    ] as const) {
      writeFileSync(config, broken);
      const listen = broken.startsWith("listen") ? ["--listen", "nowhere"] : [];
      const refused = await cli(home, "daemon", "restart", ...listen);
      expect(refused).toMatchObject({ status: 1, stdout: "" });
      expect(refused.stderr).toContain("not restarted; the daemon that runs goes on");
      expect(refused.stderr).toContain(why);
      expect(await statusOf(home)).toEqual({ ...before, uptime: expect.any(Number) });
    }

    writeFileSync(config, "agents: [{ id: allegro, every: 1m }, { id: adagio }]\n");
    expect(await cli(home, "daemon", "restart")).toMatchObject({ status: 0 });
    const after = await statusOf(home);
    expect(after.pid).not.toBe(before.pid);
    expect(after.url).toBe(before.url);
    expect(await agentOf(String(after.url), "adagio")).toMatchObject({ state: "new" });

    await killed(home);
    expect(await cli(home, "daemon", "ensure")).toMatchObject({ status: 0 });
    expect((await statusOf(home)).url).toBe(before.url);
  });

  it("stopped is not alive: its own agent and doctor say that no watcher runs", async () => {
    const home = homeWithDaemon();
    const running = await daemon(home);
    const stoppedFrom = Date.now();
    await running.end("SIGTERM");
    const { agents } = JSON.parse((await cli(home, "status", "--json")).stdout) as {
      agents: { id: string; state: string; why: string; since: string }[];
    };
    const own = agents.find(({ id }) => id.startsWith("rollcall@"));
    expect(own).toMatchObject({
      state: "dead",
      why: expect.stringMatching(/^no watcher runs; the last one was alive until /),
    });
    // It beat when it started, and stopped later.
    expect(Date.parse(own?.since ?? "")).toBeGreaterThanOrEqual(stoppedFrom);
    expect(await cli(home, "check", String(own?.id))).toMatchObject({ status: 2 });
    const { findings } = JSON.parse((await cli(home, "doctor", "--json")).stdout) as {
      findings: { check: string; level: string }[];
    };
    expect(findings.find(({ check }) => check === "beat")).toMatchObject({ level: "warning" });
  });

  it("while the config is broken and no daemon runs, the roll is shown with the error beside it", async () => {
    const home = homeWithDaemon("agents: [{ id: allegro, every: 1h }]\n");
    const running = await daemon(home);
    await http(`${running.url}/beat/allegro`);
    await running.end("SIGTERM");
    writeFileSync(join(home, "rollcall.yaml"), "agents: [{ id: allegro, evry: 1h }]\n");
    const error = expect.stringContaining(
      'rollcall.yaml:1: agents[0].evry: unknown key; did you mean "every"?',
    );
    const status = await cli(home, "status");
    expect(status).toMatchObject({ status: 0, stderr: error });
    expect(status.stdout).toMatch(/allegro +alive .*expected every 1 h/);
    expect(await cli(home, "check", "allegro")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("allegro: alive"),
      stderr: error,
    });
    expect(JSON.parse((await cli(home, "status", "--json")).stdout)).toMatchObject({ configError: error });
    expect(JSON.parse((await cli(home, "check", "allegro", "--json")).stdout)).toMatchObject({
      id: "allegro",
      configError: error,
    });
  });

  it("says why it does not start", async () => {
    const home = homeWithDaemon("listen: nowhere\n");
    const done = await cli(home, "daemon", "start");
    expect(done.status).toBe(1);
    expect(done.stderr).toContain('expected an address such as 127.0.0.1:7766, not "nowhere"');
    expect(done.stderr).not.toContain("rollcall: rollcall:");
  });

  it("started six times at once is one daemon", async () => {
    const home = homeWithDaemon();
    const starts = Array.from({ length: 6 }, () => cli(home, "daemon", "start", ...LISTEN));
    const done = await Promise.all(starts);
    expect(done.map(({ status }) => status)).toEqual(Array(6).fill(0));
    const pids = new Set(done.map(({ stdout }) => /process (\d+)/.exec(stdout)?.[1]));
    expect([...pids]).toEqual([String(pidOf(home))]);
    // Those that came too late end by themselves. On a busy machine one may appear only now, while it still begins.
    await expect.poll(() => watchersIn(home)).toEqual([pidOf(home)]);
  });

  it("SIGTERM ends it with 0 and SIGINT too", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      expect(await (await daemon(temporaryHome())).end(signal)).toBe(0);
    }
  });
});

describe("a crash of the daemon", () => {
  it("C9: is noticed by ensure, recorded once, shown, and ensure is quiet when all is well", async () => {
    const home = homeWithDaemon();
    expect(await cli(home, "daemon", "ensure", ...LISTEN)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^started: process \d+ at [^;]*\n$/),
    });
    expect(await cli(home, "daemon", "ensure", ...LISTEN)).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
    const pid = await killed(home);
    expect(await statusOf(home)).toMatchObject({ running: false, lastCrash: { incarnation: { pid } } });
    expect(await cli(home, "daemon", "ensure", ...LISTEN)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("it had crashed"),
    });
    expect(await statusOf(home)).toMatchObject({ running: true, lastCrash: { incarnation: { pid } } });
    await cli(home, "daemon", "restart", ...LISTEN);
    expect(readFileSync(join(home, "crashes.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
  });

  it("five times within ten minutes: ensure waits, a start by hand does not, and the watcher's own agent is failing", async () => {
    const home = homeWithDaemon();
    const file = join(home, "crashes.jsonl");
    /** More crashes like the last one, so that not each has to be real. */
    const addCrashes = (...pids: readonly number[]) => {
      const last = JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "") as object;
      for (const pid of pids) {
        const incarnation = { pid, startTime: "1", bootId: "another" };
        const crash = { ...last, noticedAt: new Date().toISOString(), incarnation };
        appendFileSync(file, `${JSON.stringify(crash)}\n`);
      }
    };
    for (let crash = 0; crash < 2; crash++) {
      await cli(home, "daemon", "start", ...LISTEN);
      await killed(home);
      if (crash > 0) addCrashes(1, 2, 3);
    }
    await cli(home, "daemon", "start", ...LISTEN);
    const own = (
      JSON.parse((await cli(home, "status", "--json")).stdout) as { agents: { id: string }[] }
    ).agents.find(({ id }) => id.startsWith("rollcall@"));
    expect(own).toMatchObject({ state: "failing", message: "5 crashes within 10 minutes" });
    await killed(home);
    // Ten seconds would be over by now on a busy machine; after eight crashes it is longer.
    addCrashes(4, 5, 6);
    // The sixth crash is noticed by the next start; ensure refuses to be it.
    expect(await cli(home, "daemon", "ensure", ...LISTEN)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/crashed 8 times within 10 minutes; it is not started again for/),
    });
    expect(pidOf(home)).toBeUndefined();
    expect(await cli(home, "daemon", "start", ...LISTEN)).toMatchObject({ status: 0 });
  });

  it("a PID file whose pid now belongs to another program is stale", async () => {
    const home = homeWithDaemon();
    await cli(home, "daemon", "start", ...LISTEN);
    await killed(home);
    const file = join(home, "rollcall.pid");
    const [, rest] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${process.pid}\n${rest}\n`);
    expect(await statusOf(home)).toMatchObject({ running: false });
    expect(await cli(home, "daemon", "stop")).toMatchObject({ stdout: "no daemon was running\n" });
    expect(await cli(home, "daemon", "start", ...LISTEN)).toMatchObject({ status: 0 });
  });
});

describe("a restart with another config", () => {
  it("takes changed rules, defaults, signals and declarations of agents that it knows", async () => {
    const home = temporaryHome(`
defaults: { every: 10m }
agents: [{ id: allegro, every: 15m }, { id: adagio }, { id: largo }, { id: gone }]
`);
    const first = await daemon(home);
    for (const id of ["allegro", "adagio", "largo", "gone", "drifter"]) await http(`${first.url}/beat/${id}`);
    await first.end("SIGTERM");
    writeFileSync(
      join(home, "rollcall.yaml"),
      `
defaults: { every: 20m }
daemon: { heartbeat: { every: 5m } }
agents:
  - { id: allegro, every: 16m }
  - { id: adagio }
  - { id: largo, tmux: { session: no-such-session } }
  - { id: drifter, every: 1h }
`,
    );
    const second = await daemon(home);
    const rules = { allegro: "16m", adagio: "20m", drifter: "1h" };
    for (const [id, every] of Object.entries(rules))
      expect(await agentOf(second.url, id)).toMatchObject({ rule: { every }, state: "alive" });
    expect(await agentOf(second.url, "largo")).toMatchObject({ rule: null });
    expect(await agentOf(second.url, "gone")).toBeUndefined();
    expect(await second.end("SIGTERM")).toBe(0);
  });
});

describe("SIGHUP", () => {
  it("with a broken file keeps the old config and says so; with a good one the change is in force", async () => {
    const home = temporaryHome("agents: [{ id: allegro }]\n");
    const running = await daemon(home);
    const file = join(home, "rollcall.yaml");
    writeFileSync(file, "agents: [{ id: allegro, evry: 1m }]\n");
    running.child.kill("SIGHUP");
    await until(running.said, (said) => said.includes("the old one stays in force"));
    expect(running.said()).toContain('agents[0].evry: unknown key; did you mean "every"?');
    expect(await agentOf(running.url, "allegro")).toMatchObject({ rule: { every: "15m" } });
    expect(await cli(home, "daemon", "reload")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("evry"),
    });
    const mistake = expect.stringMatching(
      /^rollcall: the config file has a mistake, so the watcher still uses the old config: .*evry.*; see: rollcall config check\n$/,
    );
    for (const words of [["status"], ["check", "allegro"]])
      expect(await cli(home, ...words)).toMatchObject({ stderr: mistake });
    writeFileSync(file, "agents: [{ id: allegro, every: 1m }, { id: adagio }]\n");
    const stderr =
      'rollcall: there is no agent "adagio"; the config file declares it, but the watcher has not read the file since; run: rollcall daemon reload\n';
    for (const words of ["status adagio", "check adagio", "agents pause adagio"])
      expect(await cli(home, ...words.split(" "))).toEqual({ status: 3, stdout: "", stderr });
    expect((await cli(home, "status")).stderr).toBe("");
    expect(await cli(home, "daemon", "reload")).toMatchObject({ status: 0 });
    expect(await agentOf(running.url, "allegro")).toMatchObject({ rule: { every: "1m" } });
    expect(await agentOf(running.url, "adagio")).toMatchObject({ state: "new" });
  });

  it("after which a restart finds no file where one was: not restarted, and reload asks before most agents go", async () => {
    const home = temporaryHome("agents: [{ id: a }, { id: b }, { id: c }, { id: d }]\n");
    const running = await daemon(home);
    const file = join(home, "rollcall.yaml");
    writeFileSync(file, "agents: [{ id: a }]\n");
    expect(await cli(home, "daemon", "reload")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("removes 3 of 4 declared agents (b, c, d)"),
    });
    running.child.kill("SIGHUP");
    await until(running.said, (said) => said.includes("config not reloaded: "));
    expect((await cli(home, "status", "d")).stdout).toMatch(/^d +new/m);
    expect(await cli(home, "daemon", "reload", "--yes")).toMatchObject({ status: 0 });
    rmSync(file);
    for (const command of ["reload", "restart"])
      expect(await cli(home, "daemon", command)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`${file}: it was in force, and it is gone; put it back`),
      });
    writeFileSync(file, "");
    for (const command of ["reload", "restart", "start"])
      expect(await cli(command === "start" ? temporaryHome("") : home, "daemon", command)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("it is empty; expected keys such as agents: []"),
      });
    expect((await cli(home, "status", "a")).stdout).toMatch(/^a +new/m);
  });

  it("loses no beat under load", async () => {
    const open = "autoRegister: { max: 10000, perMinute: 10000 }";
    const home = temporaryHome(`${open}\n`);
    const running = await daemon(home);
    const loading = load(running.url, 16, 1.5);
    for (let i = 0; i < 10; i++) {
      writeFileSync(join(home, "rollcall.yaml"), `${open}\nagents: [{ id: bench-1, every: ${i + 1}m }]\n`);
      await cli(home, "daemon", "reload");
    }
    // The load itself fails the test if any beat is not answered with 204.
    expect(await loading).toBeGreaterThan(0);
    expect(await agentOf(running.url, "bench-1")).toMatchObject({ rule: { every: "10m" } });
  });
});

describe("the daemon's own heartbeat", () => {
  it("A2: goes into the file, the store, to another watcher by HTTP and to a chat, and no secret into the log", async () => {
    const heard: { url: string; body: string }[] = [];
    const far = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += String(chunk);
      });
      request.on("end", () => {
        heard.push({ url: request.url ?? "", body });
        response.writeHead(request.url?.includes("/bot") ? 401 : 200).end();
      });
    });
    await new Promise<void>((done) => far.listen(0, "127.0.0.1", done));
    onTestFinished(() => void far.close());
    const url = `http://127.0.0.1:${(far.address() as AddressInfo).port}`;
    const home = temporaryHome(
      `daemon: { heartbeat: { every: 200ms, ping: "${url}/ping", telegram: { chat: 7, url: "${url}", tokenFile: "secret" } } }\n`,
    );
    writeFileSync(join(home, "token-of-bot"), "s3cr3t-token\n");
    writeFileSync(
      join(home, "rollcall.yaml"),
      readFileSync(join(home, "rollcall.yaml"), "utf8").replace(
        '"secret"',
        `"${join(home, "token-of-bot")}"`,
      ),
    );
    const running = await daemon(home);
    await until(
      () => heard.length,
      (count) => count >= 4,
    );
    expect(heard.map((each) => each.url)).toContain("/ping");
    const message = heard.find((each) => each.url === "/bots3cr3t-token/sendMessage");
    expect(JSON.parse(message?.body ?? "{}")).toMatchObject({
      chat_id: 7,
      text: expect.stringMatching(/rollcall@\S+: ok, cycle \d+, watching/),
    });
    const ownOf = async () =>
      (await http(`${running.url}/api/v1/agents`)).json().agents as { id: string; state: string }[];
    // A beat every 200 ms is late now and then.
    const [own] = await until(ownOf, ([each]) => each?.state === "alive");
    expect(own).toMatchObject({ action: "watching" });
    const file = join(home, "beats", `${own?.id}.json`);
    await until(() => existsSync(file), Boolean);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ agent: own?.id, status: "ok" });
    const log = readFileSync(join(home, "logs", "rollcall.log"), "utf8");
    expect(log).toContain("401: check the token in");
    expect(log).not.toContain("s3cr3t");
  });
});
