import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { testServer } from "../src/store/postgres/server.fixture.ts";
import { median } from "./load.ts";
import type { Result } from "./main.ts";

const KILLS = Number(process.env.TAKEOVERS ?? 20);
const FREEZES = Math.ceil(KILLS / 4);
/** How long a lease lasts, in milliseconds. */
const LEASE = 10_000;
const script = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");

interface Hub {
  readonly home: string;
  readonly child: ChildProcess;
  readonly url: string;
}

/** Two hubs on one PostgreSQL: how long a beat that comes to the other one waits when the owner ends. */
export async function takeover(): Promise<Result[]> {
  const server = await testServer();
  const store = await server.schema();
  const homes = [0, 1].map(() => {
    const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
    writeFileSync(join(home, "rollcall.yaml"), `store: { url: "${store}" }\nlisten: 127.0.0.1:0\n`);
    return home;
  });
  let hubs: Hub[] = [];
  try {
    for (const home of homes) hubs.push(await started(home));
    const run = async (signal: NodeJS.Signals, rounds: number): Promise<number[]> => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const [owner, other] = (await isOwner(hubs[0])) ? hubs : hubs.toReversed();
        if (owner === undefined || other === undefined) throw new Error("there are no two hubs");
        await beat(other.url);
        const ended = new Promise((done) => owner.child.once("exit", done));
        owner.child.kill(signal);
        const began = performance.now();
        await beat(other.url);
        times.push(performance.now() - began);
        owner.child.kill("SIGKILL");
        await ended;
        hubs = [other, await started(owner.home)];
        // A hub that has just come is known to the others after this.
        await sleep(2000);
      }
      return times;
    };
    const line = (what: string, times: number[], aim: string, limit: number): Result => ({
      name: `a beat waits when the owner ${what} (median of ${times.length})`,
      ours: `${Math.round(median(times))} ms`,
      baseline: `${Math.round(Math.max(...times))} ms at most`,
      ratio: median(times) / limit,
      aim,
    });
    return [
      line("is killed", await run("SIGKILL", KILLS), "at most 1 s", 1000),
      line("is stopped", await run("SIGTERM", KILLS), "at most 1 s", 1000),
      line("is frozen", await run("SIGSTOP", FREEZES), "at most the lease (10 s) and 2 s", LEASE + 2000),
    ];
  } finally {
    for (const { child } of hubs) child.kill("SIGKILL");
    await server.stop();
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  }
}

async function isOwner(hub: Hub | undefined): Promise<boolean> {
  return (await ask(`${hub?.url}/healthz`)).body.includes('"ok"');
}

/** A beat that is sent again until it is taken. */
async function beat(url: string): Promise<void> {
  while ((await ask(`${url}/beat/bench`)).status !== 200) await sleep(10);
}

function ask(url: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((done, failed) => {
    request(url, { agent: false }, (answer) => {
      let body = "";
      answer.on("data", (part) => {
        body += String(part);
      });
      answer.on("end", () => done({ status: answer.statusCode ?? 0, body }));
    })
      .on("error", failed)
      .end();
  });
}

function started(home: string): Promise<Hub> {
  const child = spawn(process.execPath, [script, "up", "--hub", "--home", home], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  return new Promise((done, failed) => {
    child.once("exit", (status) => failed(new Error(`the hub ended with ${status}: ${said}`)));
    child.stdout.on("data", (text) => {
      said += String(text);
      const url = /listens at (http:\S+)/.exec(said)?.[1];
      if (url !== undefined) done({ home, child, url });
    });
  });
}
