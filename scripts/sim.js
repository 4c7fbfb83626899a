// npm run sim [-- ARGUMENTS]: bundles sim/main.ts and its threads as the product itself is bundled, and runs it.
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundleOptions } = await import("./build.js");
await build({ ...bundleOptions, entryPoints: { sim: "sim/main.ts", "sim-worker": "sim/worker.ts" } });
run(process.execPath, [join(root, "dist", "sim.js"), ...process.argv.slice(2)]);
