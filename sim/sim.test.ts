import { describe, expect, it } from "vitest";
import { spread, type Task } from "./crew.ts";
import { MUTANTS, runSeed } from "./run.ts";
import type { Violation } from "./violation.ts";

const SEEDS = 120;
const SLICE = 10;
const WORKER = new URL("../dist/sim-worker.js", import.meta.url);

describe("the simulation", () => {
  it(`finds nothing wrong with the engine in ${SEEDS} seeds`, async () => {
    const violations: Violation[] = [];
    const ran: number[] = [];
    const tasks = Array.from(
      { length: SEEDS / SLICE },
      (_, n): Task => ({ first: 1 + n * SLICE, seeds: SLICE }),
    );
    await spread(tasks, WORKER, ({ first }, found) => {
      ran.push(first);
      violations.push(...found);
    });
    expect(violations).toEqual([]);
    expect(ran).toEqual(tasks.map(({ first }) => first));
  }, 600_000);

  it("does the same again for the same seed, and something else for another", async () => {
    // The first has hosts too.
    const seeds = [7, 11, 12, 13, 14, 7, 11, 12, 13, 14];
    const hashes = [];
    for (const seed of seeds) {
      hashes.push((await runSeed(seed)).hash);
      // Whether the event loop has turned in between changes nothing.
      if (seed % 2 === 0) await new Promise(setImmediate);
    }
    expect(hashes.slice(0, 5)).toEqual(hashes.slice(5));
    expect(new Set(hashes).size).toBe(5);
  });

  it("finds every mutant within 100 seeds", async () => {
    const found = new Map<string, number>();
    const tasks = MUTANTS.map((_, mutant): Task => ({ first: 1, seeds: 100, mutant }));
    await spread(tasks, WORKER, ({ mutant = 0 }, [violation]) => {
      if (violation !== undefined) found.set(MUTANTS[mutant]?.name ?? "", violation.seed);
    });
    expect([...found.keys()]).toEqual(MUTANTS.map(({ name }) => name));
  }, 600_000);
});
