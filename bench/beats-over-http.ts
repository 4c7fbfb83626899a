import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { load, median } from "./load.ts";
import type { Result } from "./main.ts";
import { cpuOf } from "./process.ts";

const BARE = `
const { createServer } = require("node:http");
const server = createServer((request, response) => {
  request.on("data", () => {});
  request.on("end", () => response.writeHead(204).end());
});
server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));
`;

async function started(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return { child, url };
  }
  throw new Error("the server did not start");
}

/** A watcher in a home. */
export function startedIn(home: string): ReturnType<typeof started> {
  const bin = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");
  return started([bin, "up", "--home", home, "--listen", "127.0.0.1:0"]);
}

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
}

/** A watcher collects what its start left behind, and is slower meanwhile (system/collect-soon.ts). */
export function collected(): Promise<void> {
  return new Promise((done) => setTimeout(done, 20_000));
}

/** Both under the same load, five times in turn. */
async function compared(bare: Server, ours: Server, connections: number) {
  const found = [];
  for (let round = 0; round < 5; round++)
    found.push({ bare: await under(bare, connections), ours: await under(ours, connections) });
  return found;
}

async function under({ child, url }: Server, connections: number) {
  const seconds = 2;
  const before = cpuOf(child);
  const rate = await load(url, connections, seconds);
  return { rate, micros: ((cpuOf(child) - before) * 1000) / (rate * seconds) };
}

/** Durable beats over HTTP against a bare server that answers 204 to the same requests. */
export async function beatsOverHttp(): Promise<Result[]> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  writeFileSync(join(home, "rollcall.yaml"), "autoRegister: { perMinute: 1000 }\n");
  const bare = await started(["-e", BARE]);
  const ours = await startedIn(home);
  // Nobody reads what they say from here on, and a full pipe must not stop them.
  for (const { child } of [bare, ours]) child.stdout?.resume();
  try {
    await collected();
    await load(bare.url, 64, 1);
    await load(ours.url, 64, 1);
    const results: Result[] = [];
    for (const [connections, aim] of [
      [64, "at least 0.6"],
      [512, "at least 0.75"],
    ] as const) {
      const found = await compared(bare, ours, connections);
      results.push({
        name: `durable beats over HTTP, ${connections} connections`,
        ours: `${Math.round(median(found.map(({ ours }) => ours.rate)))}/s`,
        baseline: `${Math.round(median(found.map(({ bare }) => bare.rate)))}/s bare node:http`,
        ratio: median(found.map(({ ours, bare }) => ours.rate / bare.rate)),
        aim,
      });
      if (connections === 64)
        results.push({
          name: "CPU time per beat, all threads",
          ours: `${median(found.map(({ ours }) => ours.micros)).toFixed(0)} µs`,
          baseline: `${median(found.map(({ bare }) => bare.micros)).toFixed(0)} µs per bare request`,
          ratio: median(found.map(({ ours, bare }) => ours.micros / bare.micros)),
          aim: "at most 1.8",
        });
    }
    return results;
  } finally {
    const gone = [bare, ours].map(({ child }) => new Promise((done) => child.once("exit", done)));
    bare.child.kill();
    ours.child.kill();
    await Promise.all(gone);
    rmSync(home, { recursive: true, force: true });
  }
}
