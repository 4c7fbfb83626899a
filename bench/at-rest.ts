import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startedIn } from "./beats-over-http.ts";
import { fleet } from "./fleet.ts";
import type { Result } from "./main.ts";
import { cpuOf } from "./process.ts";

const AGENTS = 1000;
const MANY = 100_000;
const SECONDS = 60;
const SILENT_SINCE = Date.now() / 1000 - 300;
/** Several rounds, in which everything is looked at for the first time and found to rest. */
const WARM_UP = 60_000;

/** A watcher with many agents of which nothing new comes: each has a log, promises beats and has beaten once. */
async function watcher(home: string): Promise<ChildProcess> {
  mkdirSync(join(home, "logs"));
  const agents = Array.from({ length: AGENTS }, (_, i) => {
    const path = join(home, "logs", `agent-${i}.log`);
    writeFileSync(path, "step 1 is done\r\n");
    // The first minutes of a silence still tell something of a screen; after that a log rests.
    utimesSync(path, SILENT_SINCE, SILENT_SINCE);
    return `  - { id: agent-${i}, every: 15m, log: { path: "${path}" } }\n`;
  });
  writeFileSync(join(home, "rollcall.yaml"), `agents:\n${agents.join("")}`);
  const program = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");
  const child = spawn(process.execPath, [program, "up", "--listen", "127.0.0.1:0"], {
    env: { ...process.env, ROLLCALL_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((done, failed) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
      const found = /listens at (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) done(found);
    });
    child.once("exit", (status) => failed(new Error(`the watcher ended with ${status}: ${said}`)));
  });
  const beats = Array.from({ length: AGENTS }, (_, i) => ({ agent: `agent-${i}` }));
  const { status } = await fetch(`${url}/api/v1/beats`, { method: "POST", body: JSON.stringify(beats) });
  if (status !== 204) throw new Error(`beats were answered with ${status}`);
  return child;
}

/** The CPU share of a watcher at rest, against a Node process that does nothing once a second, side by side. */
export async function atRest(): Promise<Result[]> {
  const many = `CPU share at rest, ${MANY.toLocaleString("en")} agents with beats`;
  return [
    await rests(`CPU share at rest, ${AGENTS} agents with a log and a rule`, 0.2, watcher),
    await rests(many, 0.5, async (home) => {
      const { child } = await startedIn(await fleet(home, MANY));
      child.stdout?.resume();
      return child;
    }),
  ];
}

async function rests(
  name: string,
  most: number,
  start: (home: string) => Promise<ChildProcess>,
): Promise<Result> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const children: ChildProcess[] = [];
  const ended = (child: ChildProcess) => new Promise((done) => child.once("exit", done));
  try {
    const ours = await start(home);
    const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    children.push(ours, bare);
    await new Promise((done) => setTimeout(done, WARM_UP));
    const before = [cpuOf(ours), cpuOf(bare)];
    const began = performance.now();
    await new Promise((done) => setTimeout(done, SECONDS * 1000));
    const wall = performance.now() - began;
    const [busy = Number.NaN, idle = Number.NaN] = [cpuOf(ours), cpuOf(bare)].map(
      (cpu, i) => (100 * (cpu - (before[i] ?? 0))) / wall,
    );
    return {
      name,
      ours: `${busy.toFixed(2)} %`,
      baseline: `${idle.toFixed(2)} % idle node`,
      ratio: busy / idle,
      aim: `at most ${most} %`,
      value: busy,
    };
  } finally {
    for (const child of children) {
      const gone = ended(child);
      child.kill("SIGKILL");
      await gone;
    }
    rmSync(home, { recursive: true, force: true });
  }
}
