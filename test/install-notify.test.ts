// What the daemon tells systemd, received by a notify socket of the test's own.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { Notifier } from "../src/app/notify.ts";
import { daemon, http, temporaryHome } from "./product.ts";
import { VirtualClock } from "./virtual-clock.ts";

// Node has no datagram sockets of the file system. BARRIER=1 brings a descriptor, and the sender waits until it is
// closed; a receiver that keeps it holds the sender up.
const RECEIVER = `
import array, json, os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print("bound", flush=True)
while True:
    data, extra, _, _ = receiver.recvmsg(65536, socket.CMSG_SPACE(64))
    for level, kind, content in extra:
        if kind == socket.SCM_RIGHTS:
            descriptors = array.array("i")
            descriptors.frombytes(content[: len(content) // 4 * 4])
            for each in descriptors:
                os.close(each)
    if data != b"BARRIER=1":
        print(json.dumps(data.decode().split("\\n")), flush=True)
`;

const runs = (program: string) => spawnSync(program, ["--version"]).status === 0;
const missing = ["python3", "systemd-notify"].filter((program) => !runs(program));
const why = missing.length === 0 ? "" : ` (skipped: there is no ${missing.join(" and no ")} here)`;

/** A socket in the place of systemd's, and what has arrived at it, message by message. */
async function manager() {
  const socket = join(temporaryHome(), "notify");
  const child = spawn("python3", ["-c", RECEIVER, socket], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("bound");
  return { socket, next: async (): Promise<string[]> => JSON.parse((await lines.next()).value ?? "[]") };
}

function noting() {
  const noted: object[] = [];
  const note = (fields: object) => void noted.push(fields);
  return { noted, log: { info: note, warn: note, error: note } };
}

describe.skipIf(missing.length > 0)(`systemd is told${why}`, () => {
  test("that we are ready, reload, stop and how we are, in this order", async () => {
    const { socket, next } = await manager();
    const { log, noted } = noting();
    const notifier = new Notifier({ log, env: { NOTIFY_SOCKET: socket } });
    const all = [
      notifier.ready("watching 3 agents"),
      notifier.reloading(),
      notifier.status("two\nlines\nREADY=1"),
      notifier.ready("watching 4 agents"),
      notifier.stopping("saving"),
    ];
    await Promise.all(all);
    expect(await next()).toEqual(["READY=1", "STATUS=watching 3 agents"]);
    const [reloading, at] = await next();
    expect(reloading).toBe("RELOADING=1");
    expect(at).toMatch(/^MONOTONIC_USEC=\d+$/);
    expect(await next()).toEqual(["STATUS=two lines READY=1"]);
    expect(await next()).toEqual(["READY=1", "STATUS=watching 4 agents"]);
    expect(await next()).toEqual(["STOPPING=1", "STATUS=saving"]);
    expect(noted).toEqual([]);
  });

  test("the machine's monotonic clock, which systemd compares with its own", async () => {
    const { socket, next } = await manager();
    const script = "import time; print(int(time.clock_gettime(time.CLOCK_MONOTONIC) * 1e6))";
    const clock = () => Number(spawnSync("python3", ["-c", script], { encoding: "utf8" }).stdout);
    const before = clock();
    await new Notifier({ log: noting().log, env: { NOTIFY_SOCKET: socket } }).reloading();
    const [, at = ""] = await next();
    const told = Number(at.split("=")[1]);
    expect(told).toBeGreaterThanOrEqual(before);
    expect(told).toBeLessThanOrEqual(clock());
  });

  test("twice in the time that it waits, and only while the loop moves", async () => {
    const { socket, next } = await manager();
    const clock = new VirtualClock(0);
    const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "60000000", WATCHDOG_PID: String(process.pid) };
    const notifier = new Notifier({ log: noting().log, env, clock });
    let [rounds, looks] = [0, 0];
    const stop = notifier.watchdog(() => {
      looks += 1;
      return rounds;
    });
    const marks = async (length: number, moving: boolean) => {
      if (moving) rounds += 1;
      await clock.run(length);
      await notifier.status(`at ${clock.monotonic()}`);
      const seen: string[] = [];
      for (let message = await next(); !message[0]?.startsWith("STATUS="); message = await next())
        seen.push(...message);
      return seen;
    };
    expect(await marks(29_999, true)).toEqual([]);
    expect(await marks(1, false)).toEqual(["WATCHDOG=1"]);
    // It hangs: no sign of life for ten minutes, though we look.
    const before = looks;
    expect(await marks(600_000, false)).toEqual([]);
    expect(looks).toBeGreaterThan(before + 20);
    // It moves again, and that is told at the next look, not half a minute later.
    expect(await marks(3750, true)).toEqual(["WATCHDOG=1"]);
    expect(await marks(30_000, true)).toEqual(["WATCHDOG=1"]);
    stop();
    expect(await marks(600_000, true)).toEqual([]);
  });
});

describe("nothing is sent", () => {
  /** A program in the place of systemd-notify that notes that it was called. */
  function sender() {
    const home = temporaryHome();
    const program = join(home, "send");
    writeFileSync(program, `#!/bin/sh\necho "$*" >&2\nexit 3\n`, { mode: 0o755 });
    return program;
  }

  test.each([
    ["without a socket", { WATCHDOG_USEC: "1000" }],
    ["with an empty one", { NOTIFY_SOCKET: "", WATCHDOG_USEC: "1000" }],
  ])("%s", async (_, env) => {
    const { log, noted } = noting();
    const clock = new VirtualClock(0);
    const notifier = new Notifier({ log, env, clock, program: sender() });
    let rounds = 0;
    notifier.watchdog(() => rounds++);
    await clock.run(10_000);
    await notifier.ready("x");
    expect([noted, rounds]).toEqual([[], 0]);
  });

  test.each([
    ["another process is waited for", { WATCHDOG_USEC: "1000", WATCHDOG_PID: "1" }],
    ["nobody waits", {}],
    ["the time makes no sense", { WATCHDOG_USEC: "soon" }],
  ])("as a sign of life, if %s", async (_, waits) => {
    const clock = new VirtualClock(0);
    const env = { NOTIFY_SOCKET: "/nowhere", ...waits };
    const notifier = new Notifier({ log: noting().log, env, clock, program: sender() });
    let rounds = 0;
    notifier.watchdog(() => rounds++);
    await clock.run(10_000);
    expect(rounds).toBe(0);
  });

  test.each([
    ["the program is missing", () => "/no/such/systemd-notify", "is not installed"],
    ["the program fails", sender, "READY=1 STATUS=a"],
  ])("and it is logged once and never thrown, if %s", async (_, program, words) => {
    const { log, noted } = noting();
    const notifier = new Notifier({ log, env: { NOTIFY_SOCKET: "/nowhere" }, program: program() });
    await notifier.ready("a");
    await notifier.status("b");
    expect(noted).toEqual([{ problem: expect.stringContaining(words) }]);
  });
});

test("what we start does not learn how to speak for us", () => {
  const env = { NOTIFY_SOCKET: "/x", WATCHDOG_USEC: "1", WATCHDOG_PID: "1", HOME: "/h" };
  new Notifier({ log: noting().log, env });
  expect(env).toEqual({ HOME: "/h" });
});

describe.skipIf(missing.length > 0)(`systemd is told by the real daemon${why}`, () => {
  test("ready, a sign of life while it judges, none while its loop is blocked, and that it stops", async () => {
    const { socket, next } = await manager();
    const home = temporaryHome();
    const running = await daemon(home, { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "1000000" });
    expect(await next()).toEqual(["READY=1", expect.stringContaining(`at ${running.url}`)]);
    expect(await next()).toEqual(["WATCHDOG=1"]);
    expect(await next()).toEqual(["WATCHDOG=1"]);
    // Somebody else holds the database: the step that stores a beat hangs until the store gives up after five seconds,
    // and with it the loop. Ten signs of life would be due meanwhile; what was under way may still arrive.
    const other = new DatabaseSync(join(home, "rollcall.db"));
    other.exec("BEGIN IMMEDIATE");
    let hangs = true;
    const beat = http(`${running.url}/beat/allegro`).finally(() => {
      hangs = false;
    });
    let signs = 0;
    while (hangs) {
      expect(await next()).toEqual(["WATCHDOG=1"]);
      if (hangs) signs += 1;
    }
    expect(signs).toBeLessThan(4);
    expect(await beat).toMatchObject({ status: 503 });
    other.exec("ROLLBACK");
    other.close();
    running.child.kill("SIGTERM");
    let last = await next();
    while (last[0] === "WATCHDOG=1") last = await next();
    expect(last[0]).toBe("STOPPING=1");
  });
});
