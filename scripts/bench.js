// npm run bench [-- NAME…] [--json FILE]: bundles bench/main.ts with the product's source and runs it.
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundle, bundleOptions } = await import("./build.js");
await bundle();
await build({
  ...bundleOptions,
  // The browser and what drives it are found where they are installed.
  external: ["playwright-core", "@sparticuz/chromium"],
  entryPoints: { "bench-main": "bench/main.ts", "bench-deadlines-child": "bench/deadlines-child.ts" },
});
run(process.execPath, [join(root, "dist/bench-main.js"), ...process.argv.slice(2)]);
