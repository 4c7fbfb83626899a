import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fleet } from "./fleet.ts";
import type { Result } from "./main.ts";

const AGENTS = 100_000;
/** What pages, commands and scrapers ask of a large fleet. */
const PATHS = [
  "/api/v1/agents",
  "/api/v1/agents?limit=10000",
  "/api/v1/agents?after=agent-5&limit=10000",
  "/api/v1/agents?state=dead",
  "/api/v1/agents?text=nobody",
  "/api/v1/agents/agent-77777",
  "/api/v1/strips?hours=24",
  "/api/v1/usage",
  "/api/v1/uptime",
  "/api/v1/incidents",
  "/metrics",
  "/ping/00000000-0000-4000-8000-000000000000",
];
/** Runs in the watcher: how long its loop was held at the longest since it was last asked, in milliseconds. */
const WATCHES_THE_LOOP = `
if (!require("node:worker_threads").isMainThread) return;
const { openSync, readSync } = require("node:fs");
const file = openSync("/proc/self/task/" + process.pid + "/schedstat");
const text = Buffer.alloc(64);
// The CPU time of the main thread: what others on the machine take does not count.
const busy = () => Number(text.latin1Slice(0, readSync(file, text, 0, 64, 0)).split(" ")[0]) / 1e6;
let last = busy();
let longest = 0;
const look = () => {
  const now = busy();
  longest = Math.max(longest, now - last);
  last = now;
  setImmediate(look).unref();
};
process.on("message", () => { process.send(longest); longest = 0; last = busy(); });
process.channel.unref();
setInterval(() => {}, 1);
look();
`;

/** The longest time for which one request keeps the loop of a watcher with many agents from anything else. */
export async function requests(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const preload = join(folder, "loop.cjs");
  writeFileSync(preload, WATCHES_THE_LOOP);
  const home = await fleet(join(folder, "home"), AGENTS);
  const bin = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");
  const args = ["--require", preload, bin, "up", "--home", home, "--listen", "127.0.0.1:0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    const url = await new Promise<string>((done, failed) => {
      child.once("exit", () => failed(new Error("the watcher did not start")));
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        if (found !== undefined) done(found);
      });
    });
    const token = readFileSync(join(home, "token"), "utf8").trim();
    const held = (): Promise<number> =>
      new Promise((done) => {
        child.once("message", (longest) => done(Number(longest)));
        child.send("held?");
      });
    // What the start left to do is done, and everything is compiled once.
    await new Promise((done) => setTimeout(done, 12_000));
    for (const path of PATHS) await get(`${url}${path}`, token);
    const seen: { path: string; longest: number; bytes: number }[] = [];
    for (const path of PATHS) {
      const longest: number[] = [];
      let bytes = 0;
      for (let round = 0; round < 3; round++) {
        await held();
        bytes = await get(`${url}${path}`, token);
        longest.push(await held());
      }
      seen.push({ path, longest: Math.min(...longest), bytes });
    }
    for (const { path, longest, bytes } of seen)
      console.error(`bench: ${longest.toFixed(1)} ms, ${bytes} bytes, ${path}`);
    const worst = seen.reduce((a, b) => (a.longest >= b.longest ? a : b));
    return [
      {
        name: `longest hold of the loop by a request, ${AGENTS.toLocaleString("en")} agents`,
        ours: `${worst.longest.toFixed(1)} ms`,
        baseline: worst.path,
        ratio: null,
        aim: "at most 20 ms",
        value: worst.longest,
      },
      {
        name: "a page of the roll of so many",
        ours: `${((seen[0]?.bytes ?? Number.NaN) / 1e6).toFixed(2)} MB`,
        baseline: "",
        ratio: null,
        aim: "at most 1 MB",
        value: (seen[0]?.bytes ?? Number.NaN) / 1e6,
      },
    ];
  } finally {
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads an answer whole; answers its length. */
function get(url: string, token: string): Promise<number> {
  return new Promise((done, failed) => {
    const asked = request(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("end", () => done(bytes)).on("error", failed);
    });
    asked.on("error", failed).end();
  });
}
