// Things that are not plain files, put where the home's files should be: nobody waits for them, and they are named.
import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { beatRecord } from "../src/agent/beat-record.ts";
import { uuidv7 } from "../src/system/uuid.ts";
import { cli, daemon, http, temporaryHome, until } from "./product.ts";

const isRoot = process.geteuid?.() === 0;
const LISTEN = ["--listen", "127.0.0.1:0"] as const;

function pipe(path: string): void {
  execFileSync("mkfifo", [path]);
}

function spooled(agent: string): string {
  const given = { id: uuidv7(), host: "here", sentAt: new Date().toISOString() };
  return JSON.stringify(beatRecord({ agent }, given));
}

describe("a daemon", () => {
  it("starts over pipes in the place of its own files, sets odd spool files aside, and names them all", async () => {
    const pidFile = join(temporaryHome(), "agent.pid");
    const home = temporaryHome(
      `daemon: { pidFile: /proc/rollcall/rollcall.pid }\nagents:\n  - { id: piped, process: { pidFile: "${pidFile}" } }\n`,
    );
    const at = (...names: string[]) => join(home, ...names);
    for (const folder of ["spool", "beats", "cycles", "work", "logs"]) mkdirSync(at(folder));
    const pipes = ["rollcall.pid", "crashes.jsonl", "token", "ping-secret", "logs/rollcall.log"];
    const inUse = ["beats/x.json", "work/x.json", "cycles/piped.json"];
    for (const path of [pidFile, ...[...pipes, ...inUse].map((name) => at(name))]) pipe(path);

    expect(await cli(home, "status")).toMatchObject({ status: 0, stdout: expect.stringContaining("piped") });
    const before = await cli(home, "doctor");
    for (const name of [...pipes, ...inUse])
      expect(before.stdout).toContain(`${at(name)} is a named pipe, not a file`);

    const { url, end } = await daemon(home);
    for (const name of ["rollcall.pid", "token", "ping-secret", "logs/rollcall.log"])
      expect(lstatSync(at(name)).isFile()).toBe(true);
    const log = () => readFileSync(at("logs", "rollcall.log"), "utf8");
    expect(log()).toContain("daemon.pidFile: cannot be written");
    const odd: Record<string, string> = {
      a: "is a named pipe",
      b: "is a symbolic link",
      c: "is a folder",
      d: "is larger than",
      ...(isRoot ? { e: "belongs to user 65534" } : {}),
    };
    pipe(at("a.json"));
    symlinkSync("/dev/zero", at("b.json"));
    mkdirSync(at("c.json"));
    writeFileSync(at("d.json"), "");
    truncateSync(at("d.json"), 3 * 2 ** 30);
    writeFileSync(at("e.json"), spooled("stranger"));
    if (isRoot) chownSync(at("e.json"), 65534, 65534);
    writeFileSync(at("z.json"), spooled("honest"));
    // The daemon takes a file up at once, so each comes whole.
    for (const name of [...Object.keys(odd), "z"])
      renameSync(at(`${name}.json`), at("spool", `${name}.json`));
    await until(
      () => existsSync(at("spool", "z.json")),
      (waits) => !waits,
    );
    expect(readdirSync(at("spool", "bad"))).toEqual(Object.keys(odd).map((name) => `${name}.json`));
    for (const [name, why] of Object.entries(odd))
      expect(log()).toContain(`${at("spool", `${name}.json`)} ${why}`);
    expect((await http(`${url}/healthz`)).status).toBe(200);
    const roll = await cli(home, "status");
    expect(roll.stdout).toContain("honest");
    expect(roll.stdout).not.toContain("stranger");
    expect(roll.stdout).toContain(`the PID file ${pidFile} is a named pipe, not a file`);
    expect((await cli(home, "doctor")).stdout).toContain(
      `are not beats; see ${at("spool", "bad")}: a.json, b.json, c.json`,
    );

    await end("SIGKILL");
    rmSync(at("crashes.jsonl"));
    pipe(at("crashes.jsonl"));
    const again = await daemon(home);
    expect((await cli(home, "daemon", "status")).stdout).toContain("last crash");
    await again.end("SIGTERM");
  });

  it.each(["rollcall.yaml", "writer.lock", "rollcall.db"])(
    "is refused by name if %s is a pipe",
    async (name) => {
      const home = temporaryHome();
      pipe(join(home, name));
      const started = await cli(home, "up", ...LISTEN);
      expect(started.status).toBe(1);
      expect(started.stderr.replace(": it is", " is")).toContain(
        `${join(home, name)} is a named pipe, not a file`,
      );
      expect(started.stderr).not.toContain("internal error");
      const { stdout } = await cli(home, "doctor");
      expect(stdout.replace(": it is", " is")).toContain(`${join(home, name)} is a named pipe, not a file`);
    },
  );
});

describe("a watcher that lives and does not answer", () => {
  it("is named as such beside what its files tell, and is not asked again and again", async () => {
    const home = temporaryHome("agents: [{ id: allegro }]\n");
    const { child } = await daemon(home);
    expect(await cli(home, "beat", "allegro")).toMatchObject({ status: 0 });
    child.kill("SIGSTOP");
    const silent = /he watcher at http\S+ did not answer within 10 s; judged from/;
    const [status, check, explain] = await Promise.all(
      ["status", "check allegro", "explain allegro"].map((words) => cli(home, ...words.split(" "))),
    );
    expect(status?.stdout.replaceAll("\n", " ")).toMatch(silent);
    expect(check).toMatchObject({ status: 0, stderr: expect.stringMatching(silent) });
    expect(explain?.stderr.match(new RegExp(silent, "g"))).toHaveLength(1);
    expect(explain?.stdout).toContain("allegro");
    expect((await cli(home, "daemon", "status")).stdout).toContain("It has not answered for 3 s");
    expect(await cli(home, "daemon", "stop", "--timeout", "100ms")).toMatchObject({
      stdout: "stopped\n",
      stderr: expect.stringMatching(/it did not stop within .*; killing it\n$/),
    });
  });
});

describe("daemon ensure", () => {
  it("replaces a daemon that lives and does not answer", async () => {
    const home = temporaryHome();
    const { child } = await daemon(home);
    expect(await cli(home, "daemon", "ensure")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    child.kill("SIGSTOP");
    const ensured = await cli(home, "daemon", "ensure", "--timeout", "500ms", ...LISTEN);
    onTestFinished(async () => void (await cli(home, "daemon", "stop")));
    expect(ensured).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^started: process \d+ at http/),
    });
    expect(ensured.stderr).toContain(
      `killed a daemon that hung: process ${child.pid} did not answer at http`,
    );
    await until(
      () => child.signalCode,
      (signal) => signal === "SIGKILL",
    );
  });
});
