import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { atRest } from "./at-rest.ts";
import { attacks } from "./attacks.ts";
import { beatsOverHttp } from "./beats-over-http.ts";
import { coldStart } from "./cold-start.ts";
import { deadlines } from "./deadlines.ts";
import { growth } from "./growth.ts";
import { hooks } from "./hooks.ts";
import { hosts, hostsReturn } from "./hosts/at-the-hub.ts";
import { ephemeral } from "./hosts/ephemeral.ts";
import { hostsOnTheWire } from "./hosts/on-the-wire.ts";
import { twoHubs } from "./hosts/two-hubs.ts";
import { page } from "./page.ts";
import { peers } from "./peers/peers.ts";
import { postgres } from "./postgres.ts";
import { requests } from "./requests.ts";
import { restart } from "./restart.ts";
import { round } from "./round.ts";
import { screens } from "./screen.ts";
import { simulation } from "./simulation.ts";
import { streams } from "./streams.ts";
import { takeover } from "./takeover.ts";
import { year } from "./year.ts";

/** One line of the result: a figure, what it is compared with in the same run, and what we aim for. */
export interface Result {
  readonly name: string;
  readonly ours: string;
  readonly baseline: string;
  readonly ratio: number | null;
  /** Of the form "at most 1.5", "under 3 MB" or "at least 0.5"; anything else is only reported. */
  readonly aim: string;
  /** What the aim is about, in its unit; the ratio if nothing else is named. */
  readonly value?: number;
}

const benches: Record<string, () => Promise<Result[]>> = {
  "at-rest": atRest,
  attacks,
  "beats-over-http": beatsOverHttp,
  "cold-start": coldStart,
  deadlines,
  growth,
  hooks,
  hosts,
  "hosts-ephemeral": ephemeral,
  "hosts-on-the-wire": hostsOnTheWire,
  "hosts-return": hostsReturn,
  "hosts-two-hubs": twoHubs,
  page,
  peers,
  postgres,
  requests,
  restart,
  round,
  screens,
  simulation,
  streams,
  takeover,
  year,
};

/** Whether an aim is met; undefined if there is none. Without a ratio it is about the figure itself, if both have one unit. */
function isMet({ aim, ours, ratio, value = ratio ?? undefined }: Result): boolean | undefined {
  const [, way, limit = "", unit = ""] = /^(at most|under|at least) ([\d.,]+) ?(\S*)/.exec(aim) ?? [];
  const [, figure = "", its = ""] = /^([\d.,]+) ?(\S*)$/.exec(ours) ?? [];
  const found = value ?? (unit === its ? numberIn(figure) : Number.NaN);
  if (way === undefined || Number.isNaN(found)) return undefined;
  return way === "at least" ? found >= numberIn(limit) : found <= numberIn(limit);
}

function numberIn(text: string): number {
  return text === "" ? Number.NaN : Number(text.replaceAll(",", ""));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, check: { type: "boolean", default: false } },
});
const unknown = positionals.find((name) => !(name in benches));
if (unknown !== undefined) {
  console.error(`bench: there is no "${unknown}"; there are ${Object.keys(benches).join(", ")}`);
  process.exit(2);
}

const results: Result[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.error(`bench: ${name} …`);
  results.push(...(await bench()));
  // After each, so that one that fails loses no other.
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
}

const rows = results.map((result) => {
  const { name, ours, baseline, ratio, aim } = result;
  const met = isMet(result);
  return [
    name,
    ours,
    baseline,
    ratio === null ? "–" : ratio.toFixed(2),
    aim,
    met === undefined ? "–" : met ? "met" : "MISSED",
  ];
});
const table = [["what", "ours", "baseline", "ratio", "aim", ""], ...rows];
const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? [];
for (const row of table)
  console.log(
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
const missed = results.filter((result) => isMet(result) === false);
if (values.check) {
  console.log(`${results.length} figures, ${missed.length} aims missed`);
  if (missed.length > 0) process.exitCode = 1;
}
