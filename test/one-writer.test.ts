import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileLock } from "../src/system/lock.ts";
import {
  cli,
  daemon,
  http,
  rollcall,
  root,
  runToEnd,
  type StatusJson,
  temporaryHome,
  until,
} from "./product.ts";

/** A daemon that stands still at a step of its start, until the test lets it go on or kills it. */
async function startingDaemon(home: string, step: string): Promise<ChildProcess> {
  const program = join(root, "dist/test-up-until.js");
  const child = spawn(process.execPath, [program, home, step, "SIGSTOP"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await until(
    () => readFileSync(`/proc/${child.pid}/stat`, "utf8"),
    (stat) => / T /.test(stat.slice(stat.lastIndexOf(")"))),
  );
  return child;
}

/** A command under way; `waits` resolves when it has said that it waits. */
function command(home: string, ...args: string[]) {
  const child = spawn(process.execPath, [rollcall, ...args], {
    env: { ...process.env, ROLLCALL_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += String(chunk);
  });
  const done = new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once("close", (status) => resolve({ status, ...said }));
  });
  const waits = until(
    () => said.stderr,
    (text) => text.includes("waiting for"),
  );
  return { waits, done };
}

async function rollOf(home: string): Promise<StatusJson> {
  return JSON.parse((await cli(home, "status", "--json")).stdout) as StatusJson;
}

describe("a command while the daemon starts", () => {
  it.each(["lock", "watcher"])("waits for it and goes through it (at the step %s)", async (step) => {
    const home = temporaryHome();
    const starting = await startingDaemon(home, step);
    const adding = command(home, "agents", "add", "bob");
    const token = command(home, "token", "create", "--scope", "read");
    await Promise.all([adding.waits, token.waits]);
    starting.kill("SIGCONT");
    expect(await adding.done).toMatchObject({ status: 0, stdout: "added bob\n" });
    expect(await token.done).toMatchObject({ status: 0 });
    const { watcher, agents } = await rollOf(home);
    expect(watcher).toMatchObject({ running: true, pid: starting.pid });
    expect(agents.map(({ id }) => id)).toContain("bob");
  });

  it("makes the change itself when the daemon is killed: the lock is free again", async () => {
    const home = temporaryHome();
    const starting = await startingDaemon(home, "store");
    const adding = command(home, "agents", "add", "bob");
    await adding.waits;
    starting.kill("SIGKILL");
    expect(await adding.done).toMatchObject({ status: 0, stdout: "added bob\n" });
    const { watcher, agents } = await rollOf(home);
    expect(watcher.running).toBe(false);
    expect(agents.map(({ id }) => id)).toContain("bob");
    await daemon(home);
    expect((await rollOf(home)).agents.map(({ id }) => id)).toContain("bob");
  });
});

describe("the lock of a home", () => {
  it("lets one command at a time change the store", async () => {
    const home = temporaryHome();
    const lock = FileLock.take(join(home, "writer.lock"));
    const adding = command(home, "agents", "add", "bob");
    await adding.waits;
    expect(existsSync(join(home, "rollcall.db"))).toBe(false);
    lock?.release();
    expect(await adding.done).toMatchObject({ status: 0, stdout: "added bob\n" });
  });

  it("crosses PID namespaces (needs unshare)", async (context) => {
    const inside = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    const allowed = await runToEnd("unshare", [...inside, "true"]).catch(() => undefined);
    if (allowed?.status !== 0) return context.skip("unshare is not there, or not allowed");
    const home = temporaryHome();
    const up = [process.execPath, rollcall, "up", "--listen", "127.0.0.1:0", "--home", home];
    const first = spawn("unshare", [...inside, ...up], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void first.kill("SIGKILL"));
    const url = await new Promise<string>((listens) => {
      let said = "";
      first.stdout.on("data", (chunk) => {
        said += String(chunk);
        const found = /listens at (http:\S+)/.exec(said)?.[1];
        if (found !== undefined) listens(found);
      });
    });
    const program = [process.execPath, rollcall];
    const inOther = (...args: string[]) =>
      runToEnd("unshare", [...inside, ...program, ...args, "--home", home], {
        ROLLCALL_LISTEN: "127.0.0.1:0",
      });
    const [second, third, ensured] = await Promise.all([
      inOther("up"),
      inOther("up"),
      inOther("daemon", "ensure"),
    ]);
    for (const { status, stderr } of [second, third, ensured]) {
      expect(status).toBe(1);
      expect(stderr).toMatch(/another process has held .*writer\.lock|already running/);
    }
    const pidFile = readFileSync(join(home, "rollcall.pid"), "utf8");
    expect((await inOther("doctor", "--fix")).stdout).toContain(
      "a watcher in another container uses this home",
    );
    expect(readFileSync(join(home, "rollcall.pid"), "utf8")).toBe(pidFile);
    expect((await http(`${url}/healthz`)).status).toBe(200);
  });
});
