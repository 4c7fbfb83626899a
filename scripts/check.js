// npm run check: format and lint, types (twice: the core must compile without Node's), architecture,
// dead code. Every check runs even if an earlier one failed, so that one run shows everything.
import { spawnSync } from "node:child_process";
import { root } from "./setup.js";

const bin = (name) => `node_modules/.bin/${name}`;
const checks = [
  ["format and lint", bin("biome"), ["check", "--error-on-warnings", "."]],
  ["types", bin("tsc"), ["-p", "tsconfig.json"]],
  ["pure core", bin("tsc"), ["-p", "tsconfig.core.json"]],
  ["page", bin("tsc"), ["-p", "ui/tsconfig.json"]],
  ["architecture", process.execPath, ["scripts/architecture.js"]],
  ["dead code", bin("knip"), []],
];

let failed = 0;
for (const [name, command, args] of checks) {
  const began = performance.now();
  const done = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  const ok = done.status === 0;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  if (!ok) {
    failed += 1;
    console.log(`${done.stdout ?? ""}${done.stderr ?? ""}${done.error?.message ?? ""}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
