// npm run journeys -- [--seeds N] [--seed K] [--mutants] [--at-once N] [--imagine]
import { join } from "node:path";
import { parseArgs } from "node:util";
import { imagine, OPERATIONS, type Outcome, type Places, travel } from "./journey.ts";
import { MUTANTS, plant } from "./mutants.ts";
import { World } from "./world.ts";

/** Each planted fault must be found within so many seeds. */
const WITHIN = 30;

const USAGE = `Usage: npm run journeys -- [options]

Seeded users of the built product: real tmux, real processes, a real database and a real webhook.

  --seeds N     how many seeds (default 20)
  --seed K      the first seed (default 1); without --seeds only this one
  --mutants     also plant each known fault, which must be found within ${WITHIN} seeds
  --at-once N   how many journeys at the same time (default 4)
  --imagine     only count the operations of these seeds

Example:
  $ npm run journeys -- --seeds 300
`;

function whole(option: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0 && text.trim() !== "") return value;
  throw new Error(`--${option}: expected a whole number from 0, not "${text}"`);
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}

/** Travels seed after seed, some at once, until `enough` says so. */
async function each(
  seeds: readonly number[],
  atOnce: number,
  places: Places,
  came: (outcome: Outcome) => void,
  enough: () => boolean = () => false,
): Promise<void> {
  const left = [...seeds];
  const one = async () => {
    for (let seed = left.shift(); seed !== undefined && !enough(); seed = left.shift())
      came(await travel(seed, places));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

function say({ seed, violations, script }: Outcome): string {
  return `seed ${seed}:\n${violations.map((line) => `  ${line}`).join("\n")}\n\n${script}\n`;
}

function counted(count: ReadonlyMap<string, number>): string {
  const names = [
    ...OPERATIONS.map(({ name }) => name),
    "a command while it is down",
    "a command while it starts",
  ];
  const rows = names.map((name) => [count.get(name) ?? 0, name] as const).toSorted(([a], [b]) => b - a);
  return rows.map(([times, name]) => `${String(times).padStart(6)}  ${name}`).join("\n");
}

function add(to: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [name, times] of from) to.set(name, (to.get(name) ?? 0) + times);
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string" },
      seed: { type: "string" },
      mutants: { type: "boolean" },
      "at-once": { type: "string", default: "4" },
      imagine: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const first = whole("seed", values.seed ?? "1");
  const many = whole("seeds", values.seeds ?? (values.seed === undefined ? "20" : "1"));
  const seeds = Array.from({ length: many }, (_, at) => first + at);
  const count = new Map<string, number>();
  if (values.imagine) {
    for (const seed of seeds) add(count, imagine(seed));
    process.stdout.write(`${counted(count)}\n`);
    return 0;
  }
  const root = process.cwd();
  const places = { product: root, journeys: join(root, "test", "journeys") };
  const atOnce = whole("at-once", values["at-once"]);
  const began = Date.now();
  let [done, failed, missed] = [0, 0, 0];
  await each(seeds, atOnce, places, (outcome) => {
    done += 1;
    add(count, outcome.operations);
    if (outcome.violations.length > 0) {
      failed += outcome.violations.length;
      progress("");
      process.stdout.write(`${say(outcome)}\n`);
    }
    progress(`${done} of ${many} …`);
  });
  progress("");
  process.stdout.write(`${counted(count)}\n`);
  if (values.mutants) missed = await findMutants(first, atOnce, places);
  const operations = [...count].reduce(
    (sum, [name, times]) => sum + (name.startsWith("a command") ? 0 : times),
    0,
  );
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(`${seconds} s, ${atOnce} at once\n`);
  process.stdout.write(`${many} journeys, ${operations} operations, ${failed} violations\n`);
  return failed + missed === 0 ? 0 : 1;
}

/** How many planted faults were not found. */
async function findMutants(first: number, atOnce: number, { journeys }: Places): Promise<number> {
  let missed = 0;
  for (const mutant of MUTANTS) {
    const planted = await plant(mutant);
    let found: Outcome | undefined;
    const seeds = Array.from({ length: WITHIN }, (_, at) => first + at);
    await each(
      seeds,
      atOnce,
      { product: planted.folder, journeys },
      (outcome) => {
        if (outcome.violations.length > 0 && (found === undefined || outcome.seed < found.seed))
          found = outcome;
      },
      () => found !== undefined,
    );
    planted.remove();
    const how = found === undefined ? "NOT FOUND" : `found at seed ${found.seed}: ${found.violations[0]}`;
    if (found === undefined) missed += 1;
    process.stdout.write(`mutant "${mutant.name}": ${how}\n`);
  }
  return missed;
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void World.closeAll().finally(() => process.exit(130)));
process.exitCode = await main();
