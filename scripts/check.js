// npm run check: format and lint, types (twice: the core must compile without Node's), architecture,
// names of types, dead code. Every check runs even if an earlier one failed, so that one run shows everything.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { compiler, root } from "./setup.js";

const bin = (name) => `node_modules/.bin/${name}`;
const tsc = (project) => [process.execPath, [compiler, "-p", project]];
const checks = [
  ["format and lint", bin("biome"), ["check", "--error-on-warnings", "."]],
  ["types", ...tsc("tsconfig.json")],
  ["pure core", ...tsc("tsconfig.core.json")],
  ["page", ...tsc("ui/tsconfig.json")],
  ["architecture", process.execPath, ["scripts/architecture.js"]],
  ["names", process.execPath, ["scripts/house.js", "--check"]],
  ["dead code", bin("knip"), []],
];

/** Runs one check and says how it went; what it printed is told if it failed. */
function run([name, command, args]) {
  const began = performance.now();
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: root });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
    child.on("error", (error) => (said += error.message));
    child.on("close", (status) => {
      const took = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${status === 0 ? "ok  " : "FAIL"} ${name} (${took} s)${status === 0 ? "" : `\n${said}`}`);
      done(status === 0);
    });
  });
}

/** As many at a time as there are cores. */
async function runAll() {
  const waiting = [...checks];
  const results = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results.push(await run(next));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results.every(Boolean);
}

process.exit((await runAll()) ? 0 : 1);
