// npm run fuzz [-- ARGUMENTS]: bundles test/fuzz/main.ts and its thread, and runs it.
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundleOptions } = await import("./build.js");
await build({
  ...bundleOptions,
  entryPoints: { fuzz: "test/fuzz/main.ts", "fuzz-worker": "test/fuzz/worker.ts" },
});
run(process.execPath, [join(root, "dist", "fuzz.js"), ...process.argv.slice(2)]);
