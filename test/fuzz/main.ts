// npm run fuzz: feeds the product's own parsers with inputs that nobody would write, until one breaks.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { corpusOf } from "./corpus.ts";
import { inputOf } from "./mutate.ts";
import { TARGETS, targetOf } from "./targets/index.ts";
import type { Job, Told } from "./worker.ts";

const USAGE = `Usage: npm run fuzz -- [--parser NAME] [--minutes N] [--seed K]

Feeds the parsers with made-up inputs, each for N minutes (1). A parser breaks by an
error that is none of its own, by an input that takes over 10 s of CPU time, and by memory that
grows. The input is then kept in test/fuzz/corpus, where npm test reads it again.

  --parser NAME   only this one: ${TARGETS.map(({ name }) => name).join(", ")}
  --minutes N     how long for each parser
  --seed K        the first seed (1); inputs depend on nothing else

Example: npm run fuzz -- --parser terminal --minutes 10
`;

const HANG = 10_000;
const HEAP_MB = 512;
/** Caches fill first; what grows by more after that is a leak. */
const WARM = 20_000;
const GROWTH = 48 * 1024 * 1024;
const FOLDER = join(process.cwd(), "test", "fuzz", "corpus");

interface Broken {
  readonly at: number;
  readonly problem: string;
}

/** What this process has computed, in milliseconds: on a busy machine a quick parser waits long for its turn. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Reads until the time is over or something breaks. */
async function run(target: string, seed: number, until: number): Promise<{ read: number; broken?: Broken }> {
  const at = new Int32Array(new SharedArrayBuffer(4));
  const job: Job = { target, seed, first: 1, until, corpus: FOLDER, at };
  const worker = new Worker(new URL("./fuzz-worker.js", import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let broken: Broken | undefined;
  let base: number | undefined;
  worker.on("message", (told: Told) => {
    if (told.kind === "threw") broken = told;
    else if (told.at < WARM) base = told.bytes;
    else if (told.bytes > (base ?? told.bytes) + GROWTH)
      broken = { at: told.at, problem: `memory grew from ${base} to ${told.bytes} bytes` };
  });
  worker.on("error", (error) => {
    broken ??= { at: Atomics.load(at, 0), problem: error.stack ?? error.message };
  });
  let seen = { at: 0, since: cpuTime() };
  const watch = setInterval(() => {
    const now = Atomics.load(at, 0);
    if (now !== seen.at) seen = { at: now, since: cpuTime() };
    else if (now > 0 && cpuTime() - seen.since > HANG)
      broken ??= { at: now, problem: `it took longer than ${HANG / 1000} s` };
    if (process.stderr.isTTY) process.stderr.write(`\r${target}: ${now} inputs …`);
    if (broken !== undefined) void worker.terminate();
  }, 500);
  await new Promise((done) => worker.once("exit", done));
  clearInterval(watch);
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  return { read: Atomics.load(at, 0), ...(broken === undefined ? {} : { broken }) };
}

function keep(target: string, seed: number, { at }: Broken): string {
  const known = corpusOf(FOLDER, target).map(({ input }) => new TextDecoder().decode(input));
  const own = targetOf(target);
  const input = inputOf({ ...own, examples: [...own.examples, ...known] }, seed, at);
  const file = join(FOLDER, target, createHash("sha256").update(input).digest("hex").slice(0, 12));
  mkdirSync(join(FOLDER, target), { recursive: true });
  writeFileSync(file, input);
  return file;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      parser: { type: "string" },
      minutes: { type: "string", default: "1" },
      seed: { type: "string", default: "1" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
    process.stderr.write(`fuzz: --minutes takes a number over 0, --seed a whole number\n`);
    return 2;
  }
  const targets = values.parser === undefined ? TARGETS : [targetOf(values.parser)];
  let found = 0;
  for (const { name } of targets) {
    const began = Date.now();
    const { read, broken } = await run(name, seed, began + minutes * 60_000);
    const seconds = (Date.now() - began) / 1000;
    const speed = `${read} inputs in ${seconds.toFixed(0)} s`;
    if (broken === undefined) process.stdout.write(`${name}: ${speed}, nothing found\n`);
    else {
      found += 1;
      const file = keep(name, seed, broken);
      process.stdout.write(
        `${name}: ${speed}, BROKEN by input ${broken.at}, kept as ${file}\n${broken.problem}\n`,
      );
    }
  }
  process.stdout.write(`${targets.length} parsers, ${found} broken\n`);
  return found === 0 ? 0 : 1;
}

process.exitCode = await main();
