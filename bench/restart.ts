import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startedIn } from "./beats-over-http.ts";
import { fleet } from "./fleet.ts";
import { median } from "./load.ts";
import type { Result } from "./main.ts";
import { memoryOf } from "./process.ts";

/** How many agents, and within how many seconds the watcher is to be back. */
const SIZES = [
  [1000, 0.4],
  [10_000, 0.8],
  [100_000, 3],
] as const;
const ORIGINS = { beat: "that registered themselves", config: "declared in the config" } as const;
/** What a start leaves behind is collected within this: V8 looks 8 s after its last full collection. */
const SETTLES = 12_000;
/** Starts after a kill, of which the median counts: one alone tells more of the machine's moment. */
const STARTS = 5;

/** A watcher that is killed and started again: how long until it watches, and what it then holds. */
export async function restart(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const results: Result[] = [];
  try {
    const empty = await run(join(folder, "empty"));
    const idle = empty.before / 1e6;
    results.push({
      name: "memory, empty home",
      ours: `${idle.toFixed(0)} MB`,
      baseline: "",
      ratio: null,
      aim: "at most 60 MB",
      value: idle,
    });
    for (const [count, limit] of SIZES) {
      for (const origin of ["beat", "config"] as const) {
        const home = await fleet(join(folder, `${origin}-${count}`), count, origin);
        const { seconds, before, after } = await run(home);
        const what = `${count.toLocaleString("en")} agents ${ORIGINS[origin]}`;
        const bytes = (before - empty.before) / count;
        results.push(
          {
            name: `start after kill -9, ${what}`,
            ours: `${seconds.toFixed(2)} s`,
            baseline: `${empty.seconds.toFixed(2)} s with none`,
            ratio: seconds / empty.seconds,
            aim: `at most ${limit} s`,
            value: seconds,
          },
          {
            name: `memory after it over before, ${what}`,
            ours: `${(after / 1e6).toFixed(0)} MB`,
            baseline: `${(before / 1e6).toFixed(0)} MB`,
            ratio: after / before,
            aim: "at most 1.2",
          },
          {
            name: `memory per agent, ${what}`,
            ours: `${Math.round(bytes)} bytes`,
            baseline: "",
            ratio: null,
            aim: count === 100_000 ? "at most 1,024 bytes" : "reported",
            value: bytes,
          },
        );
        rmSync(home, { recursive: true, force: true });
      }
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(home: string): Promise<{ seconds: number; before: number; after: number }> {
  const memory: number[] = [];
  const seconds: number[] = [];
  for (let start = 0; start <= STARTS; start++) {
    const began = performance.now();
    const { child } = await startedIn(home);
    if (start > 0) seconds.push((performance.now() - began) / 1000);
    if (start < 2) {
      await sleep(SETTLES);
      memory.push(1e6 * memoryOf(child));
    }
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
  }
  return { seconds: median(seconds), before: memory[0] ?? 0, after: memory[1] ?? 0 };
}
