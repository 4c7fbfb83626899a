import { describe, expect, it } from "vitest";
import { spread, type Task } from "./crew.ts";
import { MUTANTS, runSeed } from "./run.ts";
import type { Violation } from "./violation.ts";

const SEEDS = 20;
const SLICE = 10;
/** Where `npm run sim -- --mutants` found those that take longest; the others are found from the first seed on. */
const FOUND_AT: Readonly<Record<string, number>> = {
  "no store check": 18,
  "mass rule that sticks": 20,
  "a new chance at every restart": 11,
  "contact on the wall clock": 14,
  "command without time to live": 14,
  "command repeated": 9,
  "silent drop": 27,
  "silence judged before the inbox is heard": 23,
  "NOTIFY alone wakes": 69,
};
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
    // The first has hosts too, the second several hubs.
    const seeds = [7, 13, 12, 7, 13, 12];
    const hashes = [];
    for (const seed of seeds) {
      hashes.push((await runSeed(seed)).hash);
      // Whether the event loop has turned in between changes nothing.
      if (seed % 2 === 0) await new Promise(setImmediate);
    }
    expect(hashes.slice(0, 3)).toEqual(hashes.slice(3));
    expect(new Set(hashes).size).toBe(3);
  });

  it("finds every mutant within 100 seeds", async () => {
    const found = new Map<string, number>();
    const tasks = MUTANTS.map(({ name }, mutant): Task => {
      const first = FOUND_AT[name] ?? 1;
      return { first, seeds: 101 - first, mutant };
    });
    await spread(tasks, WORKER, ({ mutant = 0 }, [violation]) => {
      if (violation !== undefined) found.set(MUTANTS[mutant]?.name ?? "", violation.seed);
    });
    expect([...found.keys()]).toEqual(MUTANTS.map(({ name }) => name));
  }, 600_000);
});
