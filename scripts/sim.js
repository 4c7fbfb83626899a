// npm run sim [-- ARGUMENTS]: bundles sim/main.ts and its threads as the product itself is bundled, and runs it.
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundleOptions } = await import("./build.js");
await build({ ...bundleOptions, entryPoints: { sim: "sim/main.ts", "sim-worker": "sim/worker.ts" } });
// Its threads keep every core busy: a garbage collector with threads of its own would only take turns with them.
run(process.execPath, ["--single-threaded-gc", join(root, "dist", "sim.js"), ...process.argv.slice(2)]);
