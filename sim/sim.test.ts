import { describe, expect, it } from "vitest";
import { foundAt, MUTANTS, runSeed } from "./run.ts";

const SEEDS = 250;

describe("the simulation", () => {
  it(`finds nothing wrong with the engine in ${SEEDS} seeds`, async () => {
    const violations = [];
    for (let seed = 1; seed <= SEEDS; seed++) violations.push(...(await runSeed(seed)).violations);
    expect(violations).toEqual([]);
  }, 120_000);

  it("does the same again for the same seed, and something else for another", async () => {
    const seeds = [11, 12, 13, 14, 15, 11, 12, 13, 14, 15];
    const hashes = [];
    for (const seed of seeds) hashes.push((await runSeed(seed)).hash);
    expect(hashes.slice(0, 5)).toEqual(hashes.slice(5));
    expect(new Set(hashes).size).toBe(5);
  });

  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    "finds the mutant “%s” within 100 seeds",
    async (_, mutant) => {
      expect(await foundAt(mutant, 1, 100)).toMatchObject({ invariant: expect.any(Number) });
    },
    60_000,
  );
});
