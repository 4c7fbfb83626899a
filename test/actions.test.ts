import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

/** The configuration of requirement C10, as it stands. */
const GATEWAY = `{ "heartbeat": { "enabled": true, "actions": [
    { "name": "task-scan", "schedule": "*/5 * * * *", "config": { "minReward": 100000000, "capabilities": 3 } },
    { "name": "daily-summary", "schedule": "0 9 * * *" },
    { "name": "portfolio-monitor", "schedule": "0 * * * *" } ] },
  "daemon": { "pidFile": "~/.agenc/gateway.pid", "watchdogInterval": 60000 } }`;

const TASKS = Array.from({ length: 1000 }, (_, n) => ({
  id: String(n),
  creator: "somebody",
  capabilities: String(n % 8),
  reward: String(BigInt(n) * 1_000_000n),
  description: "do it",
  deadline: 0,
  maxWorkers: 1,
  currentWorkers: 0,
  status: "open",
}));
const MATCHING = TASKS.filter(({ capabilities, reward }) => {
  return (BigInt(capabilities) & ~3n) === 0n && BigInt(reward) >= 100_000_000n;
}).length;

interface Told {
  readonly key: string;
  readonly message: { readonly title: string };
}

/** A far side that takes messages; each that arrives is kept. */
const told: Told[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    told.push(JSON.parse(body) as Told);
    response.writeHead(204).end();
  });
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());

interface ActionView {
  readonly name: string;
  readonly words: string;
  readonly enabled: boolean;
}

describe("C10: the configuration of the gateway", () => {
  it("starts as it stands, schedules its three actions and writes the PID file where it says", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "gateway.json"), GATEWAY);
    const running = await daemon(home, { HOME: home });
    const { stdout } = await cli(home, "actions", "list", "--json");
    const { actions } = JSON.parse(stdout) as { actions: ActionView[] };
    expect(actions.map(({ name, enabled }) => [name, enabled])).toEqual([
      ["task-scan", true],
      ["daily-summary", true],
      ["portfolio-monitor", true],
    ]);
    expect(actions.map(({ words }) => words.replace(/,[^,]*$/, ""))).toEqual([
      "every 5 minutes",
      "at 09:00 every day",
      "every hour",
    ]);
    const pid = readFileSync(join(home, ".agenc", "gateway.pid"), "utf8").split("\n")[0];
    expect(Number(pid)).toBe(running.child.pid);
    await running.end("SIGTERM");
  });

  it("is found at its own place, with sections of others in it, by plain `rollcall up` with an empty home", async () => {
    const user = temporaryHome();
    mkdirSync(join(user, ".agenc"));
    const theirs = { llm: { model: "x" }, wallet: { key: "k" }, channels: { telegram: { enabled: true } } };
    const file = join(user, ".agenc/gateway.json");
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(GATEWAY) as object), ...theirs }));
    const env = { HOME: user, ROLLCALL_HOME: "" };
    const running = await daemon(user, env);
    const run = (...args: string[]) => runToEnd(process.execPath, [rollcall, ...args], env);
    expect(JSON.parse((await run("actions", "list", "--json")).stdout)).toMatchObject({
      actions: [{ name: "task-scan" }, { name: "daily-summary" }, { name: "portfolio-monitor" }],
    });
    expect(existsSync(join(user, ".agenc/gateway.pid"))).toBe(true);
    const { stdout } = await run("config", "check");
    expect(stdout).toContain(`${file} is valid, with 1 warning: 0 agents, 3 actions\n`);
    expect(stdout).toContain("ignored, because they are not Rollcall's: llm, wallet, channels\n");
    expect(await running.end("SIGTERM")).toBe(0);
  });

  it("C1: with heartbeat.enabled: false runs nothing where there is neither a forge nor ticks", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "rollcall.yaml"), "heartbeat: { enabled: false }");
    const { stdout } = await cli(home, "actions", "list", "--json");
    expect(JSON.parse(stdout)).toEqual({ actions: [] });
  });
});

describe("task-scan over a thousand tasks", () => {
  it("C3: tells of exactly those that match, queued once, also across kill -9 at any moment", async () => {
    const home = temporaryHome();
    writeFileSync(
      join(home, "rollcall.yaml"),
      `channels: { far: { kind: webhook, url: "${url}", secretEnv: SECRET } }
heartbeat: { actions: [ { name: task-scan, schedule: "* * * * * *", config: { minReward: 100000000, capabilities: 3 } },
  { name: daily-summary, enabled: false }, { name: portfolio-monitor, enabled: false } ] }`,
    );
    const env = { SECRET: "s" };
    // From before the first scan to after its message has arrived, a little later each time.
    for (let n = 0; n < 12; n++) {
      const running = await daemon(home, env);
      if (n === 1) writeFileSync(join(home, "tasks.json"), JSON.stringify(TASKS));
      await new Promise((done) => setTimeout(done, 100 * n));
      await running.end("SIGKILL");
    }
    const running = await daemon(home, env);
    await until(
      () => told.length,
      (count) => count > 0,
    );
    const done = async () => (await runs(home)).filter(({ outcome }) => outcome === "done").length;
    const before = await done();
    await until(done, (count) => count > before + 1);
    await running.end("SIGTERM");
    // A watcher that is killed so often also tells of itself.
    const found = told.flatMap(({ key, message }) => {
      const count = /Found (\d+)/.exec(message.title)?.[1];
      return count === undefined ? [] : [[key, Number(count)] as const];
    });
    const counts = new Map(found);
    expect([...counts.values()]).toEqual([MATCHING]);
  });
});

async function runs(home: string): Promise<{ outcome: string }[]> {
  const { stdout } = await cli(home, "actions", "history", "task-scan", "--limit", "1000", "--json");
  return (JSON.parse(stdout) as { runs: { outcome: string }[] }).runs;
}
