// Runs many commands of the built command line in one process: each line of the input is a list of words, each line of the
// output what that command printed and its exit code. A process for each would take minutes, because each loads everything again.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

const print = process.stdout.write.bind(process.stdout);
let said = "";
process.stdout.write = (text) => {
  said += text;
  return true;
};
process.stdout.setMaxListeners(0);
process.exit = (code) => {
  process.exitCode = code;
};

function bundleOf(name) {
  const file = fileURLToPath(new URL(`../../dist/${name}.cjs`, import.meta.url));
  return { file, start: new Script(readFileSync(file, "utf8"), { filename: file }).runInThisContext() };
}
const bundles = { beat: bundleOf("beat"), cli: bundleOf("cli") };
const run = ({ file, start }) => start(createRequire(file), file, load);

const larger = new Map();

/** As in bin/rollcall.js: what the quick bundles leave out is in two that are larger. */
function load(name) {
  const [, bundle] = /^(more|watch):/.exec(name) ?? [];
  if (bundle === undefined) return import(name);
  if (!larger.has(bundle)) larger.set(bundle, run(bundleOf(bundle)));
  return larger.get(bundle).load[name]();
}

for await (const line of createInterface({ input: process.stdin })) {
  said = "";
  process.exitCode = 0;
  const words = JSON.parse(line);
  process.argv.splice(2, process.argv.length, ...words);
  // `beat` has a bundle of its own, as in bin/rollcall.js.
  await run(bundles[words[0] === "beat" ? "beat" : "cli"]).ended;
  print(`${JSON.stringify({ said, status: process.exitCode })}\n`);
}
