import { MUTANTS, type Mutant, NONE } from "./mutants.ts";
import { Trace } from "./trace.ts";
import type { Violation } from "./violation.ts";
import { World } from "./world.ts";

/** Runs one seed; `tell` hears every line of its trace. */
export async function runSeed(
  seed: number,
  mutant: Mutant = NONE,
  tell?: (line: string) => void,
): Promise<{ readonly violations: readonly Violation[]; readonly hash: string }> {
  const trace = new Trace(tell);
  const violations = await new World(seed, mutant, trace).run(mutant !== NONE);
  return { violations, hash: trace.hash };
}

/** The first seed, from `first` on, at which a mutant is found; undefined if none of so many does. */
export async function foundAt(mutant: Mutant, first: number, seeds: number): Promise<Violation | undefined> {
  for (let seed = first; seed < first + seeds; seed++) {
    const { violations } = await runSeed(seed, mutant);
    if (violations[0] !== undefined) return violations[0];
  }
  return undefined;
}

export { MUTANTS };
