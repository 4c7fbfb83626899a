import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./load.ts";
import type { Result } from "./main.ts";

const RUNS = 41;

/** How long the two beat commands take as whole processes, against doing nothing at all. */
export async function coldStart(): Promise<Result[]> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const root = new URL("..", import.meta.url).pathname;
  const beat = ["beat", "allegro", "--cycle", "7", "--action", "sync inbox", "--home", home];
  const commands: Record<string, [string, ...string[]]> = {
    node: [process.execPath, "-e", "0"],
    beat: [process.execPath, join(root, "bin/rollcall.js"), ...beat],
    sh: ["sh", "-c", ":"],
    shBeat: [join(root, "bin/rollcall-beat"), ...beat.slice(1)],
  };
  const times: Record<string, number[]> = {};
  try {
    for (let run = 0; run < RUNS; run++) {
      // Alternating, so that a slow moment of the machine meets all of them.
      for (const [name, [command, ...args]] of Object.entries(commands)) {
        const began = performance.now();
        const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
        if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
        times[name] ??= [];
        times[name].push(performance.now() - began);
      }
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const ms = (name: string) => median(times[name] ?? []);
  const line = (name: string, ours: string, base: string, what: string, aim: string): Result => ({
    name,
    ours: `${ms(ours).toFixed(1)} ms`,
    baseline: `${ms(base).toFixed(1)} ms ${what}`,
    ratio: ms(ours) / ms(base),
    aim,
  });
  return [
    line("rollcall beat, whole process", "beat", "node", "node -e 0", "at most 1.5"),
    line("rollcall-beat, whole process", "shBeat", "sh", "sh -c :", "reported"),
  ];
}
