#!/usr/bin/env node
// Commands are called thousands of times by hooks and cron, so they are bundles that load quickly: CommonJS, with what V8
// compiled when they were built (scripts/compile-cli.cjs). `rollcall beat` has a small one of its own.
const { existsSync, readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const vm = require("node:vm");

// An empty HOME counts as unset: the passwd entry says where the user is at home.
if (process.env.HOME === "") delete process.env.HOME;

const place = (name) => join(__dirname, "..", "dist", `${name}.cjs`);

/** Modules of Node's that take milliseconds to load, and that many commands need for a rare case only. */
const SLOW = new Set(["node:child_process", "node:crypto", "node:http", "node:net", "node:worker_threads"]);

/** Loads a slow module when it is used for the first time. */
function whenUsed(require) {
  return (name) => (SLOW.has(name) ? new Proxy({}, { get: (_, key) => require(name)[key] }) : require(name));
}

/** What a bundle exports. */
function run(file) {
  const script = new vm.Script(readFileSync(file, "utf8"), {
    filename: file,
    // V8 refuses what another version of Node has compiled; then it compiles the source.
    cachedData: existsSync(`${file}.cache`) ? readFileSync(`${file}.cache`) : undefined,
  });
  return script.runInThisContext()(whenUsed(createRequire(file)), file, load);
}

const larger = new Map();

/** What the quick bundles leave out is in two that are larger: the watcher, and all other commands. */
function load(name) {
  const [, bundle] = /^(more|watch):/.exec(name) ?? [];
  if (bundle === undefined) return import(name);
  if (!larger.has(bundle)) larger.set(bundle, run(place(bundle)));
  return larger.get(bundle).load[name]();
}

const file = place(process.argv[2] === "beat" ? "beat" : "cli");
if (existsSync(file)) run(file);
else {
  console.error("rollcall: this checkout is not built yet; run `npm run build` (or `npm start`) in it first");
  process.exitCode = 1;
}
