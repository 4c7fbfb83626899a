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
const script = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");

interface Hub {
  readonly home: string;
  readonly child: ChildProcess;
  readonly url: string;
}

/** What a beat to the other hub waited, of an agent that it knows, and of a new one, whose beat only an owner may commit. */
interface Waits {
  readonly known: number[];
  readonly unknown: number[];
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
    let agents = 0;
    const run = async (signal: NodeJS.Signals, rounds: number): Promise<Waits> => {
      const waits: Waits = { known: [], unknown: [] };
      for (let round = 0; round < rounds; round++) {
        const [owner, other] = (await isOwner(hubs[0])) ? hubs : hubs.toReversed();
        if (owner === undefined || other === undefined) throw new Error("there are no two hubs");
        await beat(other.url, "bench");
        const ended = new Promise((done) => owner.child.once("exit", done));
        owner.child.kill(signal);
        const began = performance.now();
        const since = () => performance.now() - began;
        await Promise.all([
          beat(other.url, "bench").then(() => waits.known.push(since())),
          beat(other.url, `bench-${++agents}`).then(() => waits.unknown.push(since())),
        ]);
        owner.child.kill("SIGKILL");
        await ended;
        hubs = [other, await started(owner.home)];
        // A hub that has just come is known to the others after this.
        await sleep(2000);
      }
      return waits;
    };
    const line = (name: string, times: number[], aim: string): Result => ({
      name: `${name} (median of ${times.length})`,
      ours: `${Math.round(median(times))} ms`,
      baseline: `${Math.round(Math.max(...times))} ms at most`,
      ratio: null,
      aim,
      value: median(times) / 1000,
    });
    const lines = ({ known, unknown }: Waits, what: string, aim: string): Result[] => [
      line(`the other hub commits again after the owner ${what}`, unknown, aim),
      line(`a beat of a known agent waits when the owner ${what}`, known, "reported"),
    ];
    return [
      ...lines(await run("SIGKILL", KILLS), "is killed", "at most 1 s"),
      ...lines(await run("SIGTERM", KILLS), "is stopped", "at most 1 s"),
      ...lines(await run("SIGSTOP", FREEZES), "is frozen", "at most 12 s: the lease and 2 s"),
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
async function beat(url: string, agent: string): Promise<void> {
  while ((await ask(`${url}/beat/${agent}`)).status !== 200) await sleep(10);
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
