import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { load, median } from "./load.ts";
import type { Result } from "./main.ts";

const BARE = `
const { createServer } = require("node:http");
const server = createServer((request, response) => {
  request.on("data", () => {});
  request.on("end", () => response.writeHead(204).end());
});
server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));
`;

async function started(args: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
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

/** Durable beats over HTTP against a bare server that answers 204 to the same requests. */
export async function beatsOverHttp(): Promise<Result[]> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  writeFileSync(join(home, "rollcall.yaml"), "autoRegister: { perMinute: 1000 }\n");
  const bare = await started(["-e", BARE]);
  const ours = await startedIn(home);
  // Nobody reads what they say from here on, and a full pipe must not stop them.
  for (const { child } of [bare, ours]) child.stdout?.resume();
  try {
    const rates = { bare: [] as number[], ours: [] as number[] };
    await load(bare.url, 64, 1);
    await load(ours.url, 64, 1);
    for (let round = 0; round < 5; round++) {
      rates.bare.push(await load(bare.url, 64, 2));
      rates.ours.push(await load(ours.url, 64, 2));
    }
    const ratios = rates.ours.map((rate, i) => rate / (rates.bare[i] ?? Number.NaN));
    return [
      {
        name: "durable beats over HTTP, 64 connections",
        ours: `${Math.round(median(rates.ours))}/s`,
        baseline: `${Math.round(median(rates.bare))}/s bare node:http`,
        ratio: median(ratios),
        aim: "at least 0.6",
      },
    ];
  } finally {
    const gone = [bare, ours].map(({ child }) => new Promise((done) => child.once("exit", done)));
    bare.child.kill();
    ours.child.kill();
    await Promise.all(gone);
    rmSync(home, { recursive: true, force: true });
  }
}
