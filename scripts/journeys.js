// npm run journeys [-- ARGUMENTS]: bundles test/journeys/main.ts and runs it on the built product of this checkout.
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundleOptions } = await import("./build.js");
await build({
  ...bundleOptions,
  entryPoints: { journeys: "test/journeys/main.ts" },
  external: ["esbuild"],
});
run(process.execPath, [join(root, "dist", "journeys.js"), ...process.argv.slice(2)]);
