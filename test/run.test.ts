import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, cli, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

interface StateFile {
  readonly cycle: number;
  readonly outcome?: string;
  readonly lastAction?: string;
  readonly exit?: string;
  readonly notes?: Record<string, string>;
  readonly incarnation?: { readonly pid: number };
}

function journal(home: string, agent = "allegro"): StateFile | undefined {
  try {
    return JSON.parse(readFileSync(join(home, "cycles", `${agent}.json`), "utf8")) as StateFile;
  } catch {
    return undefined;
  }
}

/** The latest beat, as its file tells it. */
function latest(home: string): { source?: string; cycle?: number; action?: string } {
  return JSON.parse(textOf(home, "beats", "allegro.json") || "{}");
}

/** `rollcall run` in the background; what it started is ended with the test. */
function background(home: string, ...args: string[]) {
  const child = spawn(process.execPath, [rollcall, "run", ...args], {
    env: { ...process.env, ROLLCALL_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += String(chunk);
    });
  }
  const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  onTestFinished(() => {
    child.kill("SIGKILL");
    const pid = journal(home)?.incarnation?.pid;
    if (pid !== undefined) tryKill(-pid);
  });
  return { child, ended, said: () => said };
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

function textOf(...path: string[]): string {
  try {
    return readFileSync(join(...path), "utf8");
  } catch {
    return "";
  }
}

const started = (home: string) => until(() => journal(home)?.incarnation, Boolean);

/** Every living process whose command line holds this text. */
async function processesWith(text: string): Promise<string> {
  return (await runToEnd("pgrep", ["-f", text])).stdout.trim();
}

describe("rollcall run", () => {
  it("ends with the command's exit code, shows its output and keeps it in the log", async () => {
    const home = temporaryHome();
    const done = await cli(home, "run", "allegro", "--", "sh", "-c", "echo hello; echo oops >&2; exit 3");
    expect(done).toMatchObject({ status: 3, stdout: "hello\noops\n" });
    expect(readFileSync(join(home, "logs", "allegro.log"), "utf8")).toBe("hello\noops\n");
    expect(journal(home)).toMatchObject({ cycle: 1, outcome: "error", exit: "exit 3" });
    expect(await cli(home, "check", "allegro")).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("failing"),
    });
  });

  it("runs the command although the config file has a mistake, and names the mistake", async () => {
    const home = temporaryHome("agents: [");
    const done = await cli(home, "run", "allegro", "--", "echo", "hello");
    expect(done).toMatchObject({
      status: 0,
      stdout: "hello\n",
      stderr: expect.stringContaining("rollcall.yaml:1"),
    });
  });

  it("A9: works two minutes of fifteen without an alarm: alive while it runs, then resting", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    const go = join(home, "go");
    const { ended } = background(
      home,
      "allegro",
      "--",
      "sh",
      "-c",
      `until [ -e ${go} ]; do sleep 0.05; done`,
    );
    const alive = await until(
      () => agentOf(url, "allegro"),
      (agent) => agent?.state === "alive",
    );
    expect(alive).toMatchObject({
      reason: "wrapper-beat",
      cycle: 1,
      why: expect.stringContaining("its wrapper saw it running"),
    });
    writeFileSync(go, "");
    expect(await ended).toBe(0);
    await until(
      () => agentOf(url, "allegro"),
      (agent) => agent?.state === "resting",
    );
    const { stdout } = await cli(home, "flips", "allegro", "--json");
    const { flips } = JSON.parse(stdout) as { flips: { to: string }[] };
    expect(flips.map(({ to }) => to)).toEqual(["resting", "alive"]);
  });

  it("A6: hands a crashed cycle to the next one, with its number, last action and notes", async () => {
    const home = temporaryHome();
    const script = `${process.execPath} ${rollcall}`;
    const work = `${script} note inbox=42 step=upload; ${script} beat allegro --action 'dig deep'; sleep 300`;
    const { child } = background(home, "allegro", "--", "sh", "-c", work);
    await started(home);
    await until(
      () => textOf(home, "beats", "allegro.json"),
      (text) => text.includes("dig deep"),
    );
    const pid = journal(home)?.incarnation?.pid ?? 0;
    child.kill("SIGKILL");
    tryKill(-pid);
    await until(
      () => textOf(`/proc/${pid}/stat`),
      (stat) => stat === "" || stat.includes(") Z "),
    );

    const next = await cli(
      home,
      "run",
      "allegro",
      "--",
      "sh",
      "-c",
      "echo $ROLLCALL_CYCLE $ROLLCALL_RECOVERING; cat $ROLLCALL_LAST_CYCLE",
    );
    expect(next.status).toBe(0);
    expect(next.stderr).toMatch(
      /cycle 1 of allegro crashed, last action "dig deep", last heard .*; recovering in cycle 2/,
    );
    const [head, ...rest] = next.stdout.split("\n");
    expect(head).toBe("2 1");
    expect(JSON.parse(rest.join("\n"))).toMatchObject({
      cycle: 1,
      outcome: "crashed",
      lastAction: "dig deep",
      notes: { inbox: "42", step: "upload" },
    });
    await daemon(home);
    const { stdout } = await cli(home, "cycles", "allegro", "--json");
    expect((JSON.parse(stdout) as { cycles: object[] }).cycles).toMatchObject([
      { number: 2, outcome: "ok" },
      { number: 1, outcome: "crashed", lastAction: "dig deep" },
    ]);
    const third = await cli(home, "run", "allegro", "--", "sh", "-c", "echo [$ROLLCALL_RECOVERING]");
    expect(third.stdout).toBe("[]\n");
  });

  it("A9: refuses a second copy: of 12 wakes at once one runs", async () => {
    const home = temporaryHome();
    const go = join(home, "go");
    const mark = join(home, "ran");
    const command = ["sh", "-c", `echo x >> ${mark}; until [ -e ${go} ]; do sleep 0.05; done`];
    const runs = Array.from({ length: 12 }, () => cli(home, "run", "allegro", "--", ...command));
    let refused = 0;
    for (const run of runs) void run.then(({ status }) => (refused += status === 75 ? 1 : 0));
    await until(
      () => refused,
      (count) => count === 11,
    );
    writeFileSync(go, "");
    const statuses = (await Promise.all(runs)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 0)).toHaveLength(1);
    expect(readFileSync(mark, "utf8")).toBe("x\n");
    const one = (await Promise.all(runs)).find(({ status }) => status === 75);
    expect(one?.stderr).toMatch(
      /^rollcall: cycle 1 of allegro is still running \(process \d+, for .*\); nothing was started\n$/,
    );
  });

  it("leaves nothing behind after a time-out, not even who left the process group or ignores TERM", async () => {
    const home = temporaryHome();
    const mark = `rollcall-test-${process.pid}-${Date.now()}`;
    const script = `trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 1; done' ${mark} & (sh -c 'while :; do sleep 1; done' ${mark} &) ; while :; do sleep 1; done`;
    const done = await cli(
      home,
      "run",
      "allegro",
      "--timeout",
      "300ms",
      "--kill-after",
      "300ms",
      "--",
      "sh",
      "-c",
      script,
      mark,
    );
    expect(done).toMatchObject({
      status: 124,
      stderr: "rollcall: ended the command of allegro after 300 ms (--timeout)\n",
    });
    expect(await processesWith(mark)).toBe("");
    expect(journal(home)).toMatchObject({ outcome: "killed", exit: "time-out after 300ms" });
    expect(await cli(home, "check", "allegro")).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("time-out"),
    });
  });

  it("A6: forwards signals, and a command that ends in its own way has ended cleanly", async () => {
    const home = temporaryHome();
    const { child, ended } = background(
      home,
      "allegro",
      "--",
      "sh",
      "-c",
      "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done",
    );
    await until(
      () => textOf(home, "logs", "allegro.log"),
      (log) => log === "up\n",
    );
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(journal(home)).toMatchObject({ outcome: "ok" });
  });

  it("A6: a command that SIGTERM ends has been stopped: it rests until it is due again", async () => {
    const home = temporaryHome();
    const { child, ended } = background(home, "allegro", "--", "sh", "-c", "echo up; sleep 300");
    await until(
      () => textOf(home, "logs", "allegro.log"),
      (log) => log === "up\n",
    );
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(journal(home)).toMatchObject({ outcome: "killed", exit: "signal SIGTERM" });
    expect(await cli(home, "check", "allegro")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("resting: cycle 1 was stopped (signal SIGTERM)"),
    });
  });

  it("A6: hands on the last action, whatever the wrapper said since", async () => {
    const home = temporaryHome("agents: [{ id: allegro, every: 600ms, grace: 600ms }]\n");
    const script = `${process.execPath} ${rollcall} beat allegro --action "step two"; echo up; sleep 300`;
    const { child } = background(home, "allegro", "--", "sh", "-c", script);
    await until(
      () => latest(home),
      ({ source, action }) => source === "wrapper" && action !== undefined,
    );
    expect(latest(home)).toMatchObject({ cycle: 1, action: "step two" });
    const { incarnation } = journal(home) ?? {};
    child.kill("SIGKILL");
    process.kill(-(incarnation?.pid ?? 0), "SIGKILL");
    const next = await cli(home, "run", "allegro", "--", "true");
    expect(next.stderr).toContain('cycle 1 of allegro crashed, last action "step two"');
  });

  it("tells a signal's death by its exit code, and a command that is not there by a sentence", async () => {
    const home = temporaryHome();
    expect(await cli(home, "run", "allegro", "--", "sh", "-c", "kill -9 $$")).toMatchObject({ status: 137 });
    expect(journal(home)).toMatchObject({ outcome: "crashed", exit: "signal SIGKILL" });
    const missing = await cli(home, "run", "allegro", "--", "no-such-program");
    expect(missing).toMatchObject({
      status: 127,
      stderr: expect.stringContaining("could not start no-such-program"),
    });
    expect(await cli(home, "run", "a/b", "--", "true")).toMatchObject({ status: 2 });
  });

  it("survives kill -9 and a restart of the daemon, and is alive to the new one", async () => {
    const home = temporaryHome("agents: [{ id: allegro, every: 2s, grace: 1s }]\n");
    const first = await daemon(home);
    background(home, "allegro", "--", "sleep", "300");
    await until(
      () => agentOf(first.url, "allegro"),
      (agent) => agent?.state === "alive",
    );
    const pid = journal(home)?.incarnation?.pid ?? 0;
    await first.end("SIGKILL");
    const second = await daemon(home);
    await until(
      () => agentOf(second.url, "allegro"),
      (agent) => agent?.state === "alive",
    );
    expect(existsSync(`/proc/${pid}`)).toBe(true);
  });
});

describe("a cycle whose processes are gone although it has not ended", () => {
  const config = `livenessInterval: 200ms
agents:
  - { id: allegro, every: 1h, grace: 1h, process: { journal: true } }
  - { id: largo, every: 1h, grace: 1h }
`;

  /** Runs a cycle and cuts it off: both its command and who looks after it are killed. */
  async function cutOff(home: string, agent: string, isSeen: () => Promise<unknown>): Promise<void> {
    const { child, ended } = background(home, agent, "--", "sleep", "300");
    const life = await until(() => journal(home, agent)?.incarnation, Boolean);
    await isSeen();
    child.kill("SIGKILL");
    tryKill(-(life?.pid ?? 0));
    await ended;
  }

  const stateOf = (url: string, state: string, agent = "allegro") =>
    until(
      () => agentOf(url, agent),
      (seen) => seen?.state === state,
    );

  it("B4: is dead on the next round, long before its rule says so, and its next cycle is alive again", async () => {
    const home = temporaryHome(config);
    const { url } = await daemon(home);
    await cutOff(home, "largo", () => stateOf(url, "alive", "largo"));
    await cutOff(home, "allegro", () => stateOf(url, "alive"));
    expect(await stateOf(url, "dead")).toMatchObject({ reason: "exited", cycle: 1 });
    // The config need not name the signal.
    expect(await stateOf(url, "dead", "largo")).toMatchObject({ reason: "exited", cycle: 1 });
    const go = join(home, "go");
    const next = background(home, "allegro", "--", "sh", "-c", `until [ -e ${go} ]; do sleep 0.05; done`);
    // Its process may be seen before the beat that names the cycle is taken up.
    await until(
      () => agentOf(url, "allegro"),
      (agent) => agent?.state === "alive" && agent.cycle === 2,
    );
    writeFileSync(go, "");
    expect(await next.ended).toBe(0);
    expect(await stateOf(url, "resting")).toMatchObject({ reason: "ended" });
  });

  it("A4: is dead to check without a watcher, whether or not it names the signal", async () => {
    const home = temporaryHome(config);
    for (const agent of ["allegro", "largo"]) {
      await cutOff(home, agent, async () => {
        expect(await cli(home, "check", agent)).toMatchObject({ status: 0 });
      });
      expect(await cli(home, "check", agent)).toMatchObject({
        status: 2,
        stdout: expect.stringContaining(`${agent}: dead: its process ended unexpectedly`),
      });
    }
  });

  it.each([
    { name: "was seen before the watcher went down", seen: true },
    { name: "no watcher ever saw", seen: false },
  ])("that $name is dead when the watcher is back, and its work an orphan", async ({ seen }) => {
    const home = temporaryHome(config);
    await cli(home, "work", "start", "allegro", "review", "7");
    if (seen) {
      const first = await daemon(home);
      await cutOff(home, "allegro", async () => {
        await stateOf(first.url, "alive");
        await first.end("SIGKILL");
      });
    } else await cutOff(home, "allegro", async () => {});
    const second = await daemon(home);
    expect(await stateOf(second.url, "dead")).toMatchObject({ reason: "orphan" });
  });
});
