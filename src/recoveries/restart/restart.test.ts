import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Incarnation } from "../../core/beat.ts";
import type { Restart } from "../../core/recovery/ladder.ts";
import type { Target } from "../../ports/recovery.ts";
import { signalOpener } from "../../signals/registry.ts";
import { runProgram } from "../../system/exec.ts";
import { incarnationOf } from "../../system/proc.ts";
import { hasTmux, NEVER, targetOf, temporaryFolder, tmuxServer, until } from "../kit/recovery.fixture.ts";
import { restart } from "./restart.ts";

const openSignals = signalOpener("UTC");
const BIN = new URL("../../../bin/rollcall.js", import.meta.url).pathname;

function act(how: Restart, target: Target, more: { home?: string; kill?: boolean } = {}) {
  const means = {
    home: more.home ?? temporaryFolder(),
    run: runProgram,
    lifeOf: incarnationOf,
    rollcall: [process.execPath, BIN] as const,
    killGrace: 300,
  };
  return restart(how, more.kill ?? false, means).act(target, NEVER);
}

/** A process of its own group, and its life. */
async function live(script: string, env = {}): Promise<{ child: ChildProcess; life: Incarnation }> {
  const child = spawn("/bin/sh", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
  const pid = child.pid ?? 0;
  endLater(pid);
  await new Promise((done) => child.stdout?.once("data", done));
  const life = incarnationOf(pid);
  if (life === undefined) throw new Error("it did not start");
  return { child, life };
}

function endLater(pid: number): void {
  onTestFinished(() => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  });
}

const stalled = (incarnation: Incarnation) =>
  targetOf({ aim: { state: "stalled", reason: "spinning", incarnation, seen: true } });

describe("a restart by command", () => {
  test("starts what the config says in a session of its own, told who and why, with its output in the home", async () => {
    const home = temporaryFolder();
    const command =
      'echo "$ROLLCALL_AGENT $ROLLCALL_STATE $ROLLCALL_REASON $ROLLCALL_INCIDENT"; pwd; exec sleep 600';
    const acted = await act({ by: "command", command, cwd: home }, targetOf(), { home });
    const pid = Number(/process ([0-9]+)/.exec("note" in acted ? acted.note : "")?.[1]);
    endLater(pid);
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // After the state and the parent: the process group and the session.
    expect(fields.slice(2, 4)).toEqual([String(pid), String(pid)]);
    const log = join(home, "logs", "allegro.restart.log");
    expect(readFileSync(log, "utf8")).toBe(`allegro dead exited allegro-1\n${home}\n`);
  });

  test("gives it what the step names, and no other secret of the daemon", async () => {
    process.env.MADE_UP_TOKEN = "t0ken";
    process.env.OTHER_TOKEN = "t0ken";
    onTestFinished(() => {
      delete process.env.MADE_UP_TOKEN;
      delete process.env.OTHER_TOKEN;
    });
    const home = temporaryFolder();
    const command = 'echo "$MODE:$MADE_UP_TOKEN:$OTHER_TOKEN:$HOME"';
    const extra = { env: { MODE: "x" }, passEnv: ["MADE_UP_TOKEN"] };
    await act({ by: "command", command, ...extra }, targetOf(), { home });
    const said = readFileSync(join(home, "logs", "allegro.restart.log"), "utf8");
    expect(said).toBe(`x:t0ken::${process.env.HOME}\n`);
  });

  test.each([
    ["that ends well is done", ["true"] as const, { outcome: "done" }],
    ["that fails has failed", "exit 3", { outcome: "failed", problem: expect.stringContaining("exit 3") }],
    [
      "that is not there has failed",
      ["/no/such/program"] as const,
      { outcome: "failed", problem: expect.stringContaining("ENOENT") },
    ],
  ])("%s", async (_name, command, acted) => {
    expect(await act({ by: "command", command }, targetOf())).toMatchObject(acted);
  });

  test("in a folder that is not there has failed", async () => {
    expect(await act({ by: "command", command: ["true"], cwd: "/no/such" }, targetOf())).toMatchObject({
      outcome: "failed",
    });
  });

  test("does not touch a process that lives, unless the step says so", async () => {
    const { life } = await live("echo ready; exec sleep 600");
    expect(await act({ by: "command", command: ["true"] }, stalled(life))).toEqual({
      outcome: "dropped",
      why: `its process ${life.pid} is still running, and the step does not have kill: true`,
    });
    expect(incarnationOf(life.pid)).toEqual(life);
  });

  test("ends the very process that was judged, with what it started, and kills it if it does not listen", async () => {
    const { child, life } = await live("trap '' TERM; sleep 600 & echo ready; wait; wait; sleep 600");
    const ended = new Promise((done) => child.once("exit", (_, signal) => done(signal)));
    expect(await act({ by: "command", command: ["true"] }, stalled(life), { kill: true })).toMatchObject({
      outcome: "done",
    });
    expect(await ended).toBe("SIGKILL");
  });

  test("ends one that only a beat names if it carries the agent's name, and nobody else's process", async () => {
    const named = (incarnation: Incarnation) =>
      targetOf({ aim: { state: "stalled", reason: "silent", incarnation } });
    const other = await live("echo ready; exec sleep 600", { ROLLCALL_AGENT: "adagio" });
    expect(await act({ by: "command", command: ["true"] }, named(other.life), { kill: true })).toMatchObject({
      outcome: "dropped",
      why: expect.stringContaining("only from beats"),
    });
    expect(incarnationOf(other.life.pid)).toEqual(other.life);
    const own = await live("echo ready; exec sleep 600", { ROLLCALL_AGENT: "allegro" });
    expect(await act({ by: "command", command: ["true"] }, named(own.life), { kill: true })).toMatchObject({
      outcome: "done",
    });
    expect(incarnationOf(own.life.pid)).toBeUndefined();
  });

  test("does not end another process that has the same pid by now", async () => {
    const { life } = await live("echo ready; exec sleep 600");
    const older = { ...life, startTime: "1" };
    expect(await act({ by: "command", command: ["true"] }, stalled(older), { kill: true })).toMatchObject({
      outcome: "done",
    });
    expect(incarnationOf(life.pid)).toEqual(life);
  });
});

describe("a restart by rollcall run", () => {
  test("hands the crashed cycle over to the next one", async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, "cycles"));
    // A cycle that began and never ended, of a process that is gone.
    const incarnation = { pid: 999999, startTime: "1", bootId: "other" };
    const journal = { agent: "allegro", cycle: 6, beganAt: "2026-01-01T00:00:00.000Z", incarnation };
    writeFileSync(join(home, "cycles", "allegro.json"), JSON.stringify(journal));
    const file = join(home, "said");
    const command = [
      "/bin/sh",
      "-c",
      `echo "$ROLLCALL_CYCLE $ROLLCALL_RECOVERING $MODE"; cat "$ROLLCALL_LAST_CYCLE" > ${file}`,
    ] as const;
    await act({ by: "run", command, env: { MODE: "x" } }, targetOf(), { home });
    const last = await until(() => existsSync(file) && (readFileSync(file, "utf8") || undefined));
    expect(JSON.parse(last)).toMatchObject({ cycle: 6, outcome: "crashed" });
    const log = join(home, "logs", "allegro.log");
    await until(() => existsSync(log) && readFileSync(log, "utf8").includes("7 1 x"));
    // The wrapper writes its last beat and journal before it ends.
    await until(() => readFileSync(join(home, "cycles", "allegro.json"), "utf8").includes('"outcome": "ok"'));
  });
});

describe("a restart by systemd", () => {
  const withSystemctl = (script: string) => {
    const folder = temporaryFolder();
    const log = join(folder, "asked");
    writeFileSync(join(folder, "systemctl"), `#!/bin/sh\necho "$@" >> ${log}\n${script}\n`);
    chmodSync(join(folder, "systemctl"), 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${folder}:${path}`;
    onTestFinished(() => {
      process.env.PATH = path;
    });
    return () => readFileSync(log, "utf8");
  };

  test("asks systemd for the unit, and does not wait for it", async () => {
    const asked = withSystemctl("exit 0");
    const unit = { by: "unit", unit: "bot.service" } as const;
    expect(await act({ ...unit, user: false }, targetOf())).toEqual({
      outcome: "done",
      note: "asked systemd to restart bot.service",
    });
    await act({ ...unit, user: true }, targetOf());
    expect(asked()).toBe("restart --no-block -- bot.service\n--user restart --no-block -- bot.service\n");
  });

  test("says why systemd refused", async () => {
    withSystemctl("echo 'Unit bot.service not found.' >&2; exit 5");
    expect(await act({ by: "unit", unit: "bot.service", user: false }, targetOf())).toEqual({
      outcome: "failed",
      problem: "systemctl did not restart bot.service (Unit bot.service not found.)",
    });
  });
});

describe.runIf(hasTmux)("a restart by respawning a pane", () => {
  /** The agent as its own signal sees it, and whom it would judge. */
  async function seen(socketPath?: string): Promise<Target & { aim: { incarnation?: Incarnation } }> {
    const tmux = { session: "work", ...(socketPath === undefined ? {} : { socketPath }) };
    const [reader] = openSignals({ agent: "allegro", settings: { tmux }, memories: {}, journal: "" });
    const facts = (await reader?.look({ now: Date.now(), abort: NEVER, fresh: true })) ?? [];
    const [incarnation] = facts.flatMap((fact) => ("incarnation" in fact && fact.incarnation) || []);
    const agent = { id: "allegro", origin: "config", addedAt: 0, signals: { tmux } } as const;
    const aim = { state: "stalled", reason: "silent", ...(incarnation && { incarnation }) } as const;
    return targetOf({ agent, memories: { tmux: reader?.memory?.() }, aim });
  }

  const count = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").length : 0);

  test("starts what ran in a dead pane again", async () => {
    const { socketPath, open, tmux } = tmuxServer();
    const file = join(temporaryFolder(), "starts");
    open(`printf x >> ${file}; read line; exit 3`);
    await until(() => count(file) === 1);
    const target = await seen(socketPath);
    tmux("send-keys", "-t", "=work:", "Enter");
    await until(() => tmux("display", "-p", "-t", "=work:", "#{pane_dead}") === "1");
    expect(await act({ by: "respawn" }, target)).toMatchObject({ outcome: "done" });
    await until(() => count(file) === 2);
  });

  test("leaves a living one alone, and replaces it only if the step says so", async () => {
    const { socketPath, open } = tmuxServer();
    const file = join(temporaryFolder(), "starts");
    open(`printf x >> ${file}; exec sleep 600`);
    await until(() => count(file) === 1);
    const target = await until(async () => {
      const now = await seen(socketPath);
      return now.aim.incarnation && now;
    });
    expect(await act({ by: "respawn" }, target)).toMatchObject({ outcome: "dropped" });
    expect(count(file)).toBe(1);
    expect(await act({ by: "respawn" }, target, { kill: true })).toMatchObject({ outcome: "done" });
    await until(() => count(file) === 2);
    expect(incarnationOf(target.aim.incarnation?.pid ?? 0)).toBeUndefined();
  });

  test("does not replace a program that was started since", async () => {
    const { socketPath, open, tmux } = tmuxServer();
    open("exec sleep 600");
    const target = await seen(socketPath);
    tmux("respawn-pane", "-k", "-t", "=work:", "exec sleep 700");
    const acted = await act({ by: "respawn" }, target, { kill: true });
    expect(acted).toMatchObject({ problem: expect.stringContaining("another program") });
  });

  test("does not end a process that only a beat names, although the pane is dead", async () => {
    const { socketPath, open, tmux } = tmuxServer();
    open("read line; exit 3");
    const target = await seen(socketPath);
    tmux("send-keys", "-t", "=work:", "Enter");
    await until(() => tmux("display", "-p", "-t", "=work:", "#{pane_dead}") === "1");
    const other = await live("echo ready; exec sleep 600");
    const named = { ...target, aim: { ...target.aim, incarnation: other.life } };
    expect(await act({ by: "respawn" }, named, { kill: true })).toMatchObject({
      outcome: "dropped",
      why: expect.stringContaining("only from beats"),
    });
    expect(incarnationOf(other.life.pid)).toEqual(other.life);
  });

  test("asks the server that the signal asks, also inside a pane of another one", async () => {
    const { tmux: inside, socketPath: other } = tmuxServer();
    inside("new-session", "-d", "-s", "work", "exec sleep 600");
    const before = { TMUX: process.env.TMUX, TMUX_TMPDIR: process.env.TMUX_TMPDIR };
    process.env.TMUX_TMPDIR = temporaryFolder();
    delete process.env.TMUX;
    const own = (...args: string[]) =>
      execFileSync("tmux", ["-f", "/dev/null", ...args], { encoding: "utf8" }).trim();
    onTestFinished(() => {
      delete process.env.TMUX;
      own("kill-server");
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    own("new-session", "-d", "-s", "work", "read line; exit 3", ";", "set", "-g", "remain-on-exit", "on");
    process.env.TMUX = `${other},1,0`;
    const target = await seen();
    own("-L", "default", "send-keys", "-t", "=work:", "Enter");
    await until(() => own("-L", "default", "display", "-p", "-t", "=work:", "#{pane_dead}") === "1");
    expect(await act({ by: "respawn" }, target)).toMatchObject({ outcome: "done" });
  });

  test("says that a pane which is gone cannot be started again", async () => {
    const { socketPath, open, tmux } = tmuxServer();
    open("exec sleep 600");
    const target = await seen(socketPath);
    const isGone = () => incarnationOf(target.aim.incarnation?.pid ?? 0) === undefined;
    const respawned = async () => ((await act({ by: "respawn" }, target)) as { problem?: string }).problem;
    tmux("new-window", "-t", "=work", "exec sleep 600");
    tmux("kill-window", "-t", "=work:0");
    await until(isGone);
    expect(await respawned()).toContain("remain-on-exit");
    tmux("kill-session", "-t", "=work");
    expect(await respawned()).toMatch(/its tmux session is gone, and a respawn cannot create one/);
  });

  test("fails with the fix if Rollcall watches no pane of the agent", async () => {
    expect(await act({ by: "respawn" }, targetOf())).toMatchObject({
      outcome: "failed",
      problem: expect.stringContaining("name its pane (tmux: { session: … })"),
    });
  });

  const resume = (command: [string, ...string[]]) => ({ by: "resume", command, cwd: "/" }) as const;
  const conversation = [{ client: "claude-code", id: "talk-1", seenAt: 1 }];

  test("takes a conversation up again in a dead pane, and leaves a living one alone", async () => {
    const { socketPath, open, tmux, screen } = tmuxServer();
    open("read line; exit 3");
    const { memories, ...target } = await seen(socketPath);
    const dead = {
      ...target,
      memories: { ...memories, hook: conversation },
      aim: { state: "dead", reason: "exited" },
    } as const;
    const talk = resume([
      "/bin/sh",
      "-c",
      'echo "goes on with $*; in $PWD as $ROLLCALL_AGENT;"; exec sleep 600',
      "sh",
    ]);
    expect(await act(talk, dead)).toMatchObject({ outcome: "dropped" });
    tmux("send-keys", "-t", "=work:", "Enter");
    await until(() => tmux("display", "-p", "-t", "=work:", "#{pane_dead}") === "1");
    expect(await act(talk, dead)).toMatchObject({ outcome: "done", note: expect.stringContaining("talk-1") });
    await until(() => screen().includes("goes on with --resume talk-1; in / as allegro;"));
  });

  test("takes a conversation up again in a new pane where the old one is gone: of its session, or of a new one", async () => {
    const { socketPath, open, tmux, screen } = tmuxServer();
    open("exec sleep 600");
    const target = await seen(socketPath);
    const { pid = 0 } = target.aim.incarnation ?? {};
    const dead = { ...target, aim: { state: "dead", reason: "exited" } } as const;
    tmux("kill-session", "-t", "=work");
    await until(() => incarnationOf(pid) === undefined);
    const talk = resume(["/bin/sh", "-c", "echo here again; exec sleep 600"]);
    expect(await act(talk, dead)).toMatchObject({
      outcome: "done",
      note: expect.stringContaining("none is known"),
    });
    await until(() => screen().includes("here again"));
    const agent = { ...target.agent, signals: { tmux: { target: "work:0.1", socketPath } } };
    expect(await act(talk, { ...dead, agent })).toMatchObject({
      problem: expect.stringContaining("its session"),
    });
    expect(await act(talk, { ...dead, memories: {} })).toMatchObject({ outcome: "done" });
    expect(tmux("list-windows", "-t", "=work")).toContain("1:");
  });
});
