import { execFileSync } from "node:child_process";
import type { Result } from "./main.ts";

const SEEDS = "300";

/** How many hours of the simulated fleet pass in a second, on all cores. */
export async function simulation(): Promise<Result[]> {
  const program = new URL("../scripts/sim.js", import.meta.url).pathname;
  const printed = execFileSync(process.execPath, [program, "--seeds", SEEDS, "--json"], { encoding: "utf8" });
  const { hours, hoursPerSecond } = JSON.parse(printed) as { hours: number; hoursPerSecond: number };
  return [
    {
      name: `simulation, hours a second, ${SEEDS} seeds`,
      ours: String(hoursPerSecond),
      baseline: `${hours} hours`,
      ratio: null,
      aim: "at least 1,000",
      value: hoursPerSecond,
    },
  ];
}
