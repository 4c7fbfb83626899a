import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "./main.ts";

/** How long both watchers are asked while one is attacked. */
const SECONDS = 10;
const EVERY = 20;

interface Watched {
  readonly home: string;
  readonly url: string;
  readonly child: ChildProcess;
}

interface Attack {
  readonly name: string;
  /** What both watchers are given before, besides one agent with a log. */
  readonly before?: (watched: Watched) => Promise<void>;
  readonly attack: (watched: Watched) => Promise<void>;
}

const DEATHS = 20_000;

const ATTACKS: readonly Attack[] = [
  {
    name: "thirteen bytes in a log, for each control sequence",
    attack: async ({ home }) => {
      for (const final of "@ABCDEFGHIJKLMPSTXZabcdeghilmnqrstu")
        appendFileSync(join(home, "agent.log"), `\u001b[2147483647${final}`);
    },
  },
  {
    name: "a screen of 4,000 columns full of ^G Help",
    attack: async ({ home }) => {
      appendFileSync(join(home, "agent.log"), `\u001b[8;50;4000t${"^G Help ".repeat(20_000)}\r\n`);
    },
  },
  {
    name: "a FIFO and /dev/zero in the spool",
    attack: async ({ home }) => {
      mkdirSync(join(home, "spool"), { recursive: true, mode: 0o700 });
      execFileSync("mkfifo", [join(home, "spool", "a.json")]);
      symlinkSync("/dev/zero", join(home, "spool", "b.json"));
    },
  },
  {
    name: "10,000 beats of 10 KB, read at once",
    before: async ({ url, home }) => {
      const message = "x".repeat(10_000);
      for (let sent = 0; sent < 10_000; sent += 100) {
        const beats = Array.from({ length: 100 }, () => ({ agent: "large", message }));
        await ask(url, "/api/v1/beats", home, JSON.stringify(beats));
      }
    },
    attack: async ({ url, home }) => {
      const all = Array.from({ length: 4 }, () => ask(url, "/api/v1/agents/large/beats?limit=10000", home));
      await Promise.all(all);
    },
  },
  {
    name: `${DEATHS.toLocaleString("en")} deaths at once`,
    before: async ({ url, home }) => {
      for (let first = 0; first < DEATHS; first += 1000) {
        const beats = Array.from({ length: 1000 }, (_, i) => ({ agent: `m${first + i}` }));
        await ask(url, "/api/v1/beats", home, JSON.stringify(beats));
      }
    },
    // The rule becomes so short that all of them are dead a moment later.
    attack: async ({ home, child }) => {
      writeFileSync(join(home, "rollcall.yaml"), configOf(home, "1s"));
      child.kill("SIGHUP");
    },
  },
];

/** How much later than an undisturbed watcher one that is attacked gives its slowest answer, in the same run. */
export async function attacks(): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, before, attack } of ATTACKS) {
    const [calm, attacked] = [await started(), await started()];
    try {
      await before?.(calm);
      await before?.(attacked);
      const until = performance.now() + SECONDS * 1000;
      const [slowest, disturbed] = [slowestAnswer(calm, until), slowestAnswer(attacked, until)];
      await attack(attacked);
      const [base, ours] = [await slowest, await disturbed];
      results.push({
        name: `slowest /healthz: ${name}`,
        ours: `${ours.toFixed(0)} ms`,
        baseline: `${base.toFixed(0)} ms undisturbed`,
        ratio: ours / base,
        aim: "at most 100 ms more",
        value: ours - base,
      });
    } finally {
      for (const { child, home } of [calm, attacked]) {
        child.kill("SIGKILL");
        rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
    }
  }
  return results;
}

function configOf(home: string, length: string): string {
  return [
    "autoRegister: { max: 100000, perMinute: 1000000 }",
    "livenessInterval: 500ms",
    `defaults: { every: ${length}, grace: ${length} }`,
    "agents:",
    `  - { id: hostile, log: { path: ${join(home, "agent.log")} } }`,
    "",
  ].join("\n");
}

async function started(): Promise<Watched> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  writeFileSync(join(home, "rollcall.yaml"), configOf(home, "1h"));
  writeFileSync(join(home, "agent.log"), "ready\r\n");
  const root = new URL("..", import.meta.url).pathname;
  const child = spawn(process.execPath, [join(root, "bin/rollcall.js"), "up", "--listen", "127.0.0.1:0"], {
    env: { ...process.env, ROLLCALL_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  const url = await new Promise<string>((done, failed) => {
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
      const found = /listens at (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) done(found);
    });
    child.once("exit", (status) => failed(new Error(`the watcher ended with ${status}`)));
  });
  return { home, url, child };
}

/** Asks at a steady pace, whether or not earlier questions were answered, and waits for every answer. */
async function slowestAnswer({ url, home }: Watched, until: number): Promise<number> {
  let slowest = 0;
  const asked: Promise<void>[] = [];
  while (performance.now() < until) {
    const began = performance.now();
    asked.push(
      ask(url, "/healthz", home).then(() => {
        slowest = Math.max(slowest, performance.now() - began);
      }),
    );
    await new Promise((done) => setTimeout(done, EVERY));
  }
  await Promise.all(asked);
  return slowest;
}

function ask(url: string, path: string, home: string, body?: string): Promise<void> {
  const headers = { authorization: `Bearer ${readFileSync(join(home, "token"), "utf8").trim()}` };
  return new Promise((done, failed) => {
    const sent = request(
      `${url}${path}`,
      { method: body === undefined ? "GET" : "POST", headers },
      (answer) => {
        answer.resume();
        answer.once("end", done);
        answer.once("error", failed);
      },
    );
    sent.once("error", failed);
    sent.end(body);
  });
}
