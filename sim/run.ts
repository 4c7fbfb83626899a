import type { Millis } from "../src/core/duration.ts";
import { LENGTH } from "./hub/faults.ts";
import { HubWorld, hostsOf } from "./hub/hub-world.ts";
import { HUB_MUTANTS, NO_MUTANT } from "./hub/mutants.ts";
import { HUBS_LENGTH, HubsWorld } from "./hubs/hubs-world.ts";
import { HUBS_MUTANTS, NO_HUBS_MUTANT } from "./hubs/mutants.ts";
import { MUTANTS as ENGINE_MUTANTS, NONE } from "./mutants.ts";
import { lengthOf } from "./stretch.ts";
import { Trace } from "./trace.ts";
import type { Violation } from "./violation.ts";
import { World } from "./world.ts";

/** In every so many-th seed hosts report to a hub, besides: they cost far more than a watcher alone. */
const HOSTS = 20;

function hasHosts(seed: number): boolean {
  return seed % HOSTS === 7;
}

/** In every so many-th seed several hubs share a store. */
const HUBS = 5;

function hasHubs(seed: number): boolean {
  return seed % HUBS === 3;
}

/** How long the watchers in the worlds of a seed live, together. */
export function livesFor(seed: number): Millis {
  return (
    lengthOf(seed) + (hasHosts(seed) ? LENGTH * (1 + hostsOf(seed)) : 0) + (hasHubs(seed) ? HUBS_LENGTH : 0)
  );
}

/** Runs one seed; `tell` hears every line of its trace. */
export async function runSeed(
  seed: number,
  tell?: (line: string) => void,
): Promise<{ readonly violations: readonly Violation[]; readonly hash: string }> {
  const trace = new Trace(tell);
  const violations = [...(await new World(seed, NONE, trace).run())];
  if (hasHosts(seed)) violations.push(...(await new HubWorld(seed, NO_MUTANT, trace).run()));
  if (hasHubs(seed)) violations.push(...(await new HubsWorld(seed, NO_HUBS_MUTANT, trace).run()));
  return { violations, hash: trace.hash };
}

/** An engine, a host or a hub that is wrong in one way, and what a seed finds of it. */
export interface Wrong {
  readonly name: string;
  readonly run: (seed: number) => Promise<readonly Violation[]>;
}

export const MUTANTS: readonly Wrong[] = [
  ...ENGINE_MUTANTS.map(
    (mutant): Wrong => ({
      name: mutant.name,
      run: (seed) => new World(seed, mutant, new Trace()).run(true),
    }),
  ),
  ...HUB_MUTANTS.map(
    (mutant): Wrong => ({
      name: mutant.name,
      run: (seed) => new HubWorld(seed, mutant, new Trace()).run(true),
    }),
  ),
  ...HUBS_MUTANTS.map(
    (mutant): Wrong => ({
      name: mutant.name,
      run: (seed) => new HubsWorld(seed, mutant, new Trace()).run(true),
    }),
  ),
];

/** The first seed, from `first` on, at which a mutant is found; undefined if none of so many does. */
export async function foundAt(mutant: Wrong, first: number, seeds: number): Promise<Violation | undefined> {
  for (let seed = first; seed < first + seeds; seed++) {
    const [violation] = await mutant.run(seed);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
