import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ActionScheduler } from "../engine/action-scheduler.ts";
import { memoryActionStore } from "../engine/memory-store.ts";
import { commandAction } from "./command.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Runs a shell script as an action, the way the daemon does, and gives what is recorded and what is said. */
async function run(script: string, options: { timeout?: number; cwd?: string; passEnv?: string[] } = {}) {
  const said: string[] = [];
  const store = memoryActionStore(({ text }) => said.push(text));
  const scheduler = new ActionScheduler({ store, log: silent });
  const { timeout = 20_000, ...rest } = options;
  const action = commandAction("mine", { argv: ["/bin/sh", "-c", script], ...rest });
  scheduler.add(action, { cron: "0 0 1 1 *" }, { timeout });
  await scheduler.start();
  const { outcome, message, problem, metadata } = await scheduler.run("mine");
  await scheduler.stop();
  return { outcome, said, message, problem, metadata };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("a command that ends with 0", () => {
  it.each([
    ["says nothing: quiet", ":", []],
    ["says blanks: quiet", "printf ' \\n\\n'", []],
    ["acknowledges: quiet", "echo HEARTBEAT_OK", []],
    ["acknowledges with a full stop: quiet", "echo 'HEARTBEAT_OK.'", []],
    ["acknowledges in its last line: quiet", "echo looked at 5 things; echo HEARTBEAT_OK", []],
    ["complains, but says nothing: quiet", "echo careful >&2", []],
    ["says a line: that is told", "echo the disk is nearly full", ["the disk is nearly full"]],
    ["says lines: the last is told", "printf 'one\\r\\ntwo\\r\\n\\n'", ["two"]],
    ["only mentions the token: told", "echo HEARTBEAT_OK but slow", ["HEARTBEAT_OK but slow"]],
    ["says what only looks like JSON: told", "echo '{brace'", ["{brace"]],
    ["says JSON that is no result: told", "echo '{\"a\": 1}'", ['{"a": 1}']],
    ["says a JSON result: taken as it is", 'echo \'{"shouldNotify": true, "message": "hi"}\'', ["hi"]],
    ["says a result over lines", 'printf \'{"shouldNotify": true,\\n"message":\\n"hi"}\\n\'', ["hi"]],
    ["says a result after other words", "echo working; echo '{\"shouldNotify\": false}'", []],
  ])("%s", async (_, script, said) => {
    expect(await run(script)).toMatchObject({ outcome: "done", said });
  });

  it("keeps the metadata of its result", async () => {
    const ran = await run('echo \'{"shouldNotify": false, "metadata": {"seen": 5}}\'');
    expect(ran).toMatchObject({ outcome: "done", metadata: { seen: 5 }, said: [] });
  });

  it("says characters that arrive in halves, and they are whole", async () => {
    expect((await run("printf '\\303'; sleep 0.1; printf '\\251t\\303\\251\\n'")).said).toEqual(["été"]);
  });

  it("says more than is kept: its last line is told nevertheless", async () => {
    const ran = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo the end");
    expect(ran.said).toEqual(["the end"]);
  });
});

describe("a command that fails", () => {
  it.each([
    [
      "with the last line that it complained",
      "echo a >&2; echo no route >&2; exit 3",
      "/bin/sh: exit 3: no route",
    ],
    ["without a word", "exit 75", "/bin/sh: exit 75"],
    ["by a signal", "kill -TERM $$", "/bin/sh: signal SIGTERM"],
    ["whatever it says on its output", "echo found; exit 1", "/bin/sh: exit 1"],
  ])("%s", async (_, script, problem) => {
    expect(await run(script)).toMatchObject({ outcome: "failed", problem, said: [] });
  });

  it("because there is no such program", async () => {
    const scheduler = new ActionScheduler({ log: silent });
    scheduler.add(commandAction("mine", { argv: ["/no/such/program"] }), { every: 3_600_000 });
    await scheduler.start();
    expect(await scheduler.run("mine")).toMatchObject({
      outcome: "failed",
      problem: "/no/such/program: ENOENT",
    });
    await scheduler.stop();
  });

  it("because the folder that it should run in is gone", async () => {
    expect(await run(":", { cwd: "/no/such/folder" })).toMatchObject({
      outcome: "failed",
      problem: "/bin/sh: there is no folder /no/such/folder",
    });
  });

  it("because its result is none", async () => {
    expect(await run("echo '{\"shouldNotify\": true}'")).toMatchObject({
      outcome: "failed",
      problem: "its result has shouldNotify, but no message to send",
      said: [],
    });
  });
});

describe("a command", () => {
  it("runs where it is told to, and knows for what", async () => {
    const folder = temporaryFolder();
    const { said } = await run('echo "$PWD $ROLLCALL_ACTION $ROLLCALL_DUE_AT"', { cwd: folder });
    expect(said[0]).toMatch(/^\/\S+ mine \d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(said[0]).toContain(folder);
  });

  it("gets the variables that the config passes on, and no other secret of the daemon", async () => {
    process.env.MADE_UP_TOKEN = "t0ken";
    process.env.OTHER_TOKEN = "t0ken";
    onTestFinished(() => {
      delete process.env.MADE_UP_TOKEN;
      delete process.env.OTHER_TOKEN;
    });
    const { said } = await run('echo "$MADE_UP_TOKEN:$OTHER_TOKEN"', { passEnv: ["MADE_UP_TOKEN"] });
    expect(said).toEqual(["t0ken:"]);
  });

  it("whose time is over ends with everything that it started", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "pid");
    // The child holds the output open and heeds no request: only a signal to the whole group ends it.
    const script = `(trap '' TERM HUP; sh -c 'echo $$ > ${file}; exec sleep 600') & wait`;
    const ran = await run(script, { timeout: 2000 });
    expect(ran).toMatchObject({ outcome: "timed-out", problem: "it took longer than 2 s", said: [] });
    expect(existsSync(file)).toBe(true);
    const pid = Number(readFileSync(file, "utf8"));
    // A busy machine may take a while to bury what was killed.
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });
});

/** A process that was killed may be a zombie until its new parent has heard of it. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
