// The import table of ARCHITECTURE.md, checked by dependency-cruiser. It also asserts how many modules were
// read: under a TypeScript version that the tool does not know it reads none and reports success.
import { spawnSync } from "node:child_process";
import { root } from "./setup.js";

const targets = process.argv.length > 2 ? process.argv.slice(2) : ["src", "ui"];
const atLeast = targets.includes("src") ? 20 : 1;
const done = spawnSync(
  "node_modules/.bin/depcruise",
  ["--config", ".dependency-cruiser.cjs", "--output-type", "json", ...targets],
  { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
);
let summary;
try {
  summary = JSON.parse(done.stdout).summary;
} catch {
  console.error(`dependency-cruiser failed:\n${done.stdout}${done.stderr}`);
  process.exit(2);
}
for (const { rule, from, to } of summary.violations) {
  console.error(`${rule.severity} ${rule.name}: ${from} → ${to}`);
}
console.log(`${summary.totalCruised} modules, ${summary.totalDependenciesCruised} imports`);
if (summary.totalCruised < atLeast) {
  console.error(
    `only ${summary.totalCruised} modules were read, at least ${atLeast} expected: the check is blind`,
  );
  process.exit(2);
}
process.exit(summary.violations.length === 0 ? 0 : 1);
