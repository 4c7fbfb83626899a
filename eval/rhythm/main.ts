// npm run eval:rhythm -- [--trace FILE] [--json] [--seed N] [--announced SHARE]
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { evaluate, type Result } from "./evaluate.ts";
import { FLEET, fleet } from "./fleet.ts";
import { json, table } from "./report.ts";
import type { Source } from "./source.ts";
import { parseTrace } from "./trace.ts";

const USAGE = `Usage: npm run eval:rhythm -- [options]

How soon a death is noticed by learnt limits (stall: auto) and by the best fixed one with as many false alarms.

  --trace FILE        read JSON Lines {"agent","t","context","announced"} instead of simulating;
                      t in seconds since 1970 or as an ISO time with its zone
  --seed N            the seed of the simulation (default 1)
  --announced SHARE   the share of pauses whose end the simulated agents show (default ${FLEET.announced})
  --json              print the figures as JSON
`;

/** One simulated activity in 200 is followed by a death: some 150,000, enough for a steady p99. */
const DEATH_EVERY = 200;

function number(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= least && value <= most) return value;
  throw new Error(`--${option}: "${text}" is not a number from ${least} to ${most}`);
}

/** Progress goes to people only: a line that is rewritten, on standard error. */
function progress(days: number): (day: number) => void {
  if (!process.stderr.isTTY) return () => {};
  return (day) => process.stderr.write(day < days ? `\rday ${day} of ${Math.ceil(days)} …` : "\r\u001b[K");
}

function judge(source: Source, seed: number, deathEvery: number): Result {
  return evaluate(source, { seed, deathEvery, progress: progress(source.days) });
}

function main(args: string[]): string {
  const { values } = parseArgs({
    args,
    options: {
      trace: { type: "string" },
      seed: { type: "string", default: "1" },
      announced: { type: "string", default: String(FLEET.announced) },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return USAGE;
  const seed = Math.floor(number("seed", values.seed, 0, 2 ** 32 - 1));
  if (values.trace !== undefined) {
    const { trace } = values;
    const text = readFileSync(resolve(process.env.INIT_CWD ?? ".", trace), "utf8");
    const result = judge(parseTrace(text, trace), seed, 1);
    return values.json ? json({ trace }, result) : table(`Trace ${trace}`, result);
  }
  const announced = number("announced", values.announced, 0, 1);
  const result = judge(fleet({ ...FLEET, announced, seed }), seed, DEATH_EVERY);
  const title = `Simulated fleet, seed ${seed}, ${Math.round(announced * 100)} % of pauses announced`;
  return values.json ? json({ seed, announced }, result) : table(title, result);
}

try {
  process.stdout.write(main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`eval:rhythm: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
