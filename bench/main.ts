import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { atRest } from "./at-rest.ts";
import { attacks } from "./attacks.ts";
import { beatsOverHttp } from "./beats-over-http.ts";
import { coldStart } from "./cold-start.ts";
import { deadlines } from "./deadlines.ts";
import { hosts, hostsReturn } from "./hosts/at-the-hub.ts";
import { hostsOnTheWire } from "./hosts/on-the-wire.ts";
import { postgres } from "./postgres.ts";
import { round } from "./round.ts";
import { screens } from "./screen.ts";
import { streams } from "./streams.ts";
import { takeover } from "./takeover.ts";

/** One line of the result: a figure, what it is compared with in the same run, and what we aim for. */
export interface Result {
  readonly name: string;
  readonly ours: string;
  readonly baseline: string;
  readonly ratio: number | null;
  readonly aim: string;
}

const benches: Record<string, () => Promise<Result[]>> = {
  "at-rest": atRest,
  attacks,
  "beats-over-http": beatsOverHttp,
  "cold-start": coldStart,
  deadlines,
  hosts,
  "hosts-on-the-wire": hostsOnTheWire,
  "hosts-return": hostsReturn,
  postgres,
  round,
  screens,
  streams,
  takeover,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } });
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
}

const rows = results.map(({ name, ours, baseline, ratio, aim }) => [
  name,
  ours,
  baseline,
  ratio === null ? "–" : ratio.toFixed(2),
  aim,
]);
const table = [["what", "ours", "baseline", "ratio", "aim"], ...rows];
const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? [];
for (const row of table)
  console.log(
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
}
