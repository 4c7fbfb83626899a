#!/usr/bin/env node
// Commands are called thousands of times by hooks and cron, so they are bundles that load quickly: CommonJS, with what V8
// compiled when they were built (scripts/compile-cli.cjs). `rollcall beat` has a small one of its own.
const { existsSync, readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { Script } = require("node:vm");

const file = join(__dirname, "..", "dist", process.argv[2] === "beat" ? "beat.cjs" : "cli.cjs");

if (existsSync(file)) {
  const script = new Script(readFileSync(file, "utf8"), {
    filename: file,
    // V8 refuses what another version of Node has compiled; then it compiles the source.
    cachedData: existsSync(`${file}.cache`) ? readFileSync(`${file}.cache`) : undefined,
  });
  script.runInThisContext()(createRequire(file), file, (name) => import(name));
} else {
  console.error("rollcall: this checkout is not built yet; run `npm run build` (or `npm start`) in it first");
  process.exitCode = 1;
}
