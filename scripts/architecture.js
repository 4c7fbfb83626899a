// The import table of ARCHITECTURE.md and the folders' graph, checked by dependency-cruiser. It also asserts how many modules
// were read: under a TypeScript version that the tool does not know it reads none and reports success.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
for (const target of targets) violations += reachesPastSystem(target);
process.exit(violations === 0 ? 0 : 1);

/** What no import shows: only src/system reads /proc and sends requests. */
function reachesPastSystem(target) {
  const rules = { "one-http-client": /\bfetch\(/, "one-reader-of-proc": /["'`]\/proc\b/ };
  let found = 0;
  for (const file of readdirSync(join(root, target), { recursive: true })) {
    const path = join(target, file);
    if (!/\bsrc\/(?!system\/).*\.ts$/.test(path) || /\.(test|contract|fixture)\.ts$/.test(path)) continue;
    const text = readFileSync(join(root, path), "utf8");
    for (const [rule, pattern] of Object.entries(rules)) {
      if (!pattern.test(text)) continue;
      found += 1;
      console.error(`error ${rule}: ${path}: ${pattern.exec(text)[0]}`);
    }
  }
  return found;
}

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
