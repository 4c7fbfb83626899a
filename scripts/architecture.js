// The import table of ARCHITECTURE.md and the folders' graph, checked by dependency-cruiser. It also asserts how many modules
// were read: under a TypeScript version that the tool does not know it reads none and reports success.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { root } from "./setup.js";

const targets = process.argv.length > 2 ? process.argv.slice(2) : ["src", "ui"];
const atLeast = targets.includes("src") ? 20 : 1;
const configs = [".dependency-cruiser.cjs", ".dependency-cruiser-folders.cjs"];
const summaries = await Promise.all(configs.map(cruise));
let violations = 0;
for (const summary of summaries) {
  for (const { rule, from, to } of summary.violations) {
    violations += 1;
    console.error(`${rule.severity} ${rule.name}: ${from} → ${to}`);
  }
  console.log(`${summary.totalCruised} modules, ${summary.totalDependenciesCruised} imports`);
  if (summary.totalCruised < atLeast) {
    console.error(
      `only ${summary.totalCruised} modules were read, at least ${atLeast} expected: the check is blind`,
    );
    process.exit(2);
  }
}
process.exit(violations === 0 ? 0 : 1);

async function cruise(config) {
  const args = ["--config", config, "--output-type", "json", ...targets];
  const child = spawn("node_modules/.bin/depcruise", args, { cwd: root });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(out).summary;
  } catch {
    console.error(`dependency-cruiser failed:\n${out}${errors}`);
    process.exit(2);
  }
}
