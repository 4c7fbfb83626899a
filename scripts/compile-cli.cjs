// node scripts/compile-cli.cjs ARGUMENTS…: runs a command by bin/rollcall.js, and keeps what V8 compiled for it beside each
// bundle that it loaded. What was kept before stays in it.
const { renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vm = require("node:vm");

const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.set(options.filename, this);
  }
};
process.on("exit", () => {
  for (const [file, script] of scripts) {
    writeFileSync(`${file}.${process.pid}`, script.createCachedData());
    renameSync(`${file}.${process.pid}`, `${file}.cache`);
  }
});
process.argv[1] = join(__dirname, "..", "bin", "rollcall.js");
require(process.argv[1]);
