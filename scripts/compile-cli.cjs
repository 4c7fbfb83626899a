// node scripts/compile-cli.cjs BUNDLE ARGUMENTS…: runs a command as bin/rollcall.js does, and keeps what V8 compiled for it
// beside the bundle. What was kept before stays in it.
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { Script } = require("node:vm");

const [file] = process.argv.splice(2, 1);
const cache = `${file}.cache`;
const script = new Script(readFileSync(file, "utf8"), {
  filename: file,
  cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
});
process.on("exit", () => writeFileSync(cache, script.createCachedData()));
script.runInThisContext()(createRequire(file), file, (name) => import(name));
