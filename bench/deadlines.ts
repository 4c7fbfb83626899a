import { spawn } from "node:child_process";
import type { Result } from "./main.ts";

interface Lateness {
  readonly p99: number;
  readonly bytesPerAgent: number;
  readonly cpuMs: number;
}

/** Each measurement has a process of its own, so that one's memory and timers do not weigh on the other's. */
function measured(kind: "ours" | "bare", agents: number): Promise<Lateness> {
  const child = new URL("./bench-deadlines-child.js", import.meta.url).pathname;
  return new Promise((done, failed) => {
    const run = spawn(process.execPath, ["--expose-gc", child, kind, String(agents)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    run.stdout.on("data", (chunk) => {
      said += String(chunk);
    });
    run.on("error", failed);
    run.on("exit", (status) => {
      if (status === 0) done(JSON.parse(said) as Lateness);
      else failed(new Error(`deadlines-child ended with ${status}`));
    });
  });
}

/** How late flips are noticed when the deadlines of a whole fleet pass within ten seconds. */
export async function deadlines(): Promise<Result[]> {
  const results: Result[] = [];
  const cpu: number[] = [];
  for (const agents of [10_000, 100_000]) {
    const bare = await measured("bare", agents);
    const ours = await measured("ours", agents);
    cpu.push(ours.cpuMs / agents);
    results.push(
      {
        name: `${agents} deadlines in 10 s, flips noticed late (p99)`,
        ours: `${ours.p99.toFixed(1)} ms`,
        baseline: `${bare.p99.toFixed(1)} ms a setTimeout each`,
        ratio: ours.p99 / bare.p99,
        aim: "reported",
      },
      {
        name: `${agents} agents, memory each`,
        ours: `${Math.round(ours.bytesPerAgent)} bytes`,
        baseline: `${Math.round(bare.bytesPerAgent)} bytes a setTimeout`,
        ratio: null,
        aim: "reported",
      },
    );
  }
  const [small = Number.NaN, large = Number.NaN] = cpu;
  results.push({
    name: "CPU time per agent, 100,000 over 10,000",
    ours: `${(large * 1000).toFixed(0)} µs`,
    baseline: `${(small * 1000).toFixed(0)} µs`,
    ratio: large / small,
    aim: "about 1: linear",
  });
  return results;
}
