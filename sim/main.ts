// npm run sim -- [--seeds N] [--seed K] [--mutants] [--json] [--trace]
import { parseArgs } from "node:util";
import { HOUR } from "../src/core/duration.ts";
import { spread, type Task } from "./crew.ts";
import { livesFor, MUTANTS, runSeed } from "./run.ts";
import { clockOf } from "./trace.ts";
import type { Violation } from "./violation.ts";

const USAGE = `Usage: npm run sim -- [options]

The real engine on a virtual clock, with everything failing by seed; what must always hold is checked throughout.

  --seeds N    how many seeds (default 300)
  --seed K     the first seed (default 1); without --seeds only this one
  --mutants    also look for each mutant, within 100 seeds
  --trace      print what happens, line by line, on standard error
  --json       print the figures as JSON
`;

/** Each mutant must be found within so many seeds. */
const WITHIN = 100;

interface Figures {
  readonly seeds: number;
  readonly hours: number;
  readonly violations: readonly Violation[];
  readonly mutants?: readonly { readonly name: string; readonly foundAtSeed: number | null }[];
  readonly hoursPerSecond: number;
}

function whole(option: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0 && text.trim() !== "") return value;
  throw new Error(`--${option}: "${text}" is not a whole number from 0`);
}

/** Progress goes to people only: a line that is rewritten, on standard error. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}

/** How many seeds a thread takes at once. */
const SLICE = 10;
const WORKER = new URL("./sim-worker.js", import.meta.url);

async function simulate(first: number, seeds: number): Promise<Figures> {
  const violations: Violation[] = [];
  const began = performance.now();
  const tasks: Task[] = [];
  for (let at = 0; at < seeds; at += SLICE)
    tasks.push({ first: first + at, seeds: Math.min(SLICE, seeds - at) });
  await spread(tasks, WORKER, (task, found) => {
    progress("");
    for (const each of found) process.stderr.write(`${say(each)}\n`);
    violations.push(...found);
    progress(`seed ${task.first + task.seeds - 1} of ${first + seeds - 1} …`);
  });
  progress("");
  return figuresOf(first, seeds, violations, began);
}

/** One seed after the other, in this thread, telling all that happens. */
async function trace(first: number, seeds: number): Promise<Figures> {
  const violations: Violation[] = [];
  const began = performance.now();
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  for (let seed = first; seed < first + seeds; seed++)
    violations.push(...(await runSeed(seed, tell)).violations);
  return figuresOf(first, seeds, violations, began);
}

function figuresOf(first: number, seeds: number, violations: readonly Violation[], began: number): Figures {
  let hours = 0;
  for (let seed = first; seed < first + seeds; seed++) hours += livesFor(seed) / HOUR;
  const hoursPerSecond = Math.round(hours / ((performance.now() - began) / 1000));
  return { seeds, hours: Math.round(hours), violations, hoursPerSecond };
}

async function findMutants(first: number): Promise<NonNullable<Figures["mutants"]>> {
  const found: { name: string; foundAtSeed: number | null }[] = [];
  const tasks = MUTANTS.map((_, mutant): Task => ({ first, seeds: WITHIN, mutant }));
  await spread(tasks, WORKER, ({ mutant = 0 }, [violation]) => {
    const name = MUTANTS[mutant]?.name ?? "";
    if (violation !== undefined) process.stderr.write(`mutant ${name}: ${say(violation)}\n`);
    found.push({ name, foundAtSeed: violation?.seed ?? null });
  });
  return found;
}

function say({ seed, at, invariant, what }: Violation): string {
  return `seed ${seed} at ${clockOf(at)}: invariant ${invariant}: ${what}`;
}

function table({ seeds, hours, violations, mutants = [], hoursPerSecond }: Figures): string {
  const lines = mutants.map(
    ({ name, foundAtSeed }) =>
      `${name}: ${foundAtSeed === null ? "NOT FOUND" : `found at seed ${foundAtSeed}`}`,
  );
  lines.push(
    `${seeds} seeds, ${hours} simulated hours, ${violations.length} violations, ${hoursPerSecond} hours a second`,
  );
  return `${lines.join("\n")}\n`;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: "string" },
      seed: { type: "string" },
      mutants: { type: "boolean", default: false },
      trace: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const first = whole("seed", values.seed ?? "1");
  const seeds = whole("seeds", values.seeds ?? (values.seed === undefined ? "300" : "1"));
  const run = await (values.trace ? trace : simulate)(first, seeds);
  const figures = values.mutants ? { ...run, mutants: await findMutants(first) } : run;
  process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : table(figures));
  const missed = figures.mutants?.some(({ foundAtSeed }) => foundAtSeed === null) === true;
  if (run.violations.length > 0 || missed) process.exitCode = 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`sim: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
