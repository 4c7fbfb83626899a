import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startedIn } from "./beats-over-http.ts";
import { fleet } from "./fleet.ts";
import { median } from "./load.ts";
import type { Result } from "./main.ts";
import { cpuOf, memoryOf } from "./process.ts";

const SIZES = (process.env.GROWTH ?? "1000,10000,100000").split(",").map(Number);
/** Ten times as many agents may cost eleven times as much. */
const MOST = 11;
const SETTLES = 12_000;
const RESTS = 20_000;
const ASKED = 200;

/** What is measured at each size, and its unit. */
const FIGURES = {
  start: "s",
  rest: "% of a core at rest",
  beat: "ms for a beat",
  page: "ms for a page of the roll",
  commit: "ms for a commit of 100 beats",
  memory: "MB",
} as const;
type Figures = Record<keyof typeof FIGURES, number>;

/** How each cost of a watcher grows with the number of its agents. `scripts/plot-growth.js` draws the figures. */
export async function growth(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  try {
    const seen: Figures[] = [];
    for (const count of SIZES)
      seen.push(await measured(await fleet(join(folder, String(count)), count), count));
    return Object.entries(FIGURES).map(([name, unit]) => {
      const figures = seen.map((each) => each[name as keyof Figures]);
      const worst = Math.max(...figures.slice(1).map((figure, i) => figure / (figures[i] ?? Number.NaN)));
      return {
        name: `growth: ${name} with ${SIZES.map((size) => size.toLocaleString("en")).join(" / ")} agents`,
        ours: `${figures.map((figure) => figure.toPrecision(3)).join(" / ")} ${unit}`,
        baseline: "ten times fewer",
        ratio: worst,
        aim: `at most ${MOST}`,
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(home: string, count: number): Promise<Figures> {
  const began = performance.now();
  const { child, url } = await startedIn(home);
  const start = (performance.now() - began) / 1000;
  child.stdout?.resume();
  const token = readFileSync(join(home, "token"), "utf8").trim();
  const gone = new Promise((done) => child.once("exit", done));
  try {
    await sleep(SETTLES);
    const before = cpuOf(child);
    await sleep(RESTS);
    const rest = (100 * (cpuOf(child) - before)) / RESTS;
    const beats = (first: number, many: number) =>
      JSON.stringify(Array.from({ length: many }, (_, i) => ({ agent: `agent-${(first + i * 7) % count}` })));
    const beat = await timed((i) => ask(`${url}/api/v1/beats`, token, beats(i, 1)));
    const commit = await timed((i) => ask(`${url}/api/v1/beats`, token, beats(i, 100)));
    const page = await timed((i) => ask(`${url}/api/v1/agents?after=agent-${i % 9}`, token), ASKED / 10);
    return { start, rest, beat, page, commit, memory: memoryOf(child) };
  } finally {
    child.kill("SIGKILL");
    await gone;
    rmSync(home, { recursive: true, force: true });
  }
}

/** The median time of many, in milliseconds; the first tenth is not counted. */
async function timed(work: (i: number) => Promise<void>, times = ASKED): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await work(i);
    took.push(performance.now() - began);
  }
  return median(took.slice(times / 10));
}

function ask(url: string, token: string, body?: string): Promise<void> {
  return new Promise((done, failed) => {
    const options = {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}` },
    };
    const asked = request(url, options, (response) => {
      response.resume().on("end", () => {
        if ((response.statusCode ?? 500) < 300) done();
        else failed(new Error(`${url} was answered with ${response.statusCode}`));
      });
    });
    asked.on("error", failed).end(body);
  });
}
