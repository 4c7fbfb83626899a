import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { quantile } from "./load.ts";
import type { Result } from "./main.ts";

const AGENTS = 1000;
const BEATS_A_SECOND = 100;
const STREAMS = 20;
const SECONDS = 15;

/** A fleet that beats while pages are open: how long until a beat is shown, and what the open pages cost. */
export async function streams(): Promise<Result[]> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  writeFileSync(join(home, "rollcall.yaml"), "autoRegister: { perMinute: 1000 }\n");
  const { child, url } = await started(home);
  try {
    const everybody = Array.from({ length: AGENTS }, (_, i) => ({ agent: `bench-${i}` }));
    await post(url, everybody);
    // Once unmeasured: what is compiled meanwhile is not the streams' doing.
    await beaten(url, child, new Map());
    const alone = await beaten(url, child, new Map());
    const sent = new Map<string, number>();
    const delays: number[] = [];
    const taken = { bytes: 0 };
    const token = readFileSync(join(home, "token"), "utf8").trim();
    const readers = Array.from({ length: STREAMS }, () => read(url, token, sent, delays, taken));
    const read20 = await beaten(url, child, sent);
    for (const reader of readers) reader.destroy();
    const rate = taken.bytes / STREAMS / SECONDS / 1000;
    return [
      {
        name: `a beat on ${STREAMS} streams, ${AGENTS} agents, ${BEATS_A_SECOND} beats/s, p95`,
        ours: `${Math.round(quantile(delays, 0.95))} ms`,
        baseline: `${delays.length} seen`,
        ratio: null,
        aim: "at most 200 ms",
        value: quantile(delays, 0.95),
      },
      {
        name: "bytes of a stream at that rate, packed as browsers ask for it",
        ours: `${rate.toFixed(1)} KB/s`,
        baseline: "",
        ratio: null,
        aim: "at most 20 KB/s",
        value: rate,
      },
      {
        name: `CPU time with ${STREAMS} streams open`,
        ours: `${read20.toFixed(2)} s in ${SECONDS} s`,
        baseline: `${alone.toFixed(2)} s with none`,
        ratio: read20 / alone,
        aim: "at most 3",
      },
    ];
  } finally {
    child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}

async function started(home: string): Promise<{ child: ChildProcess; url: string }> {
  const script = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");
  const child = spawn(process.execPath, [script, "up", "--home", home, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error("the watcher did not start");
}

function post(url: string, body: unknown): Promise<void> {
  return new Promise((done, failed) => {
    const sent = request(`${url}/api/v1/beats`, { method: "POST" }, (response) => {
      response.resume().on("end", done);
    });
    sent.on("error", failed);
    sent.end(JSON.stringify(body));
  });
}

/** Beats for a while, each agent in turn; answers the CPU time that the watcher took, in seconds. */
async function beaten(url: string, { pid }: ChildProcess, sent: Map<string, number>): Promise<number> {
  const before = cpuSeconds(pid ?? 0);
  const began = performance.now();
  for (let i = 0; i < BEATS_A_SECOND * SECONDS; i++) {
    const due = began + (i * 1000) / BEATS_A_SECOND;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    const agent = `bench-${i % AGENTS}`;
    sent.set(`${agent} ${i}`, performance.now());
    await post(url, { agent, cycle: i });
  }
  return cpuSeconds(pid ?? 0) - before;
}

function read(
  url: string,
  token: string,
  sent: ReadonlyMap<string, number>,
  delays: number[],
  taken: { bytes: number },
) {
  const reader = request(
    `${url}/api/v1/events`,
    { headers: { authorization: `Bearer ${token}`, "accept-encoding": "gzip" } },
    (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        taken.bytes += chunk.length;
      });
      const unpacked = response.pipe(createGunzip()).on("error", () => {});
      unpacked.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
          if (!event.includes("event: agents")) continue;
          const data = JSON.parse(event.slice(event.indexOf("data: ") + 6)) as {
            id: string;
            cycle: number;
          }[];
          for (const { id, cycle } of data) {
            const at = sent.get(`${id} ${cycle}`);
            if (at !== undefined) delays.push(performance.now() - at);
          }
        }
      });
      response.on("error", () => {});
    },
  );
  reader.on("error", () => {});
  reader.end();
  return reader;
}

/** User and system time of a process, which Linux counts in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
