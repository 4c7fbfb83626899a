// node scripts/screenshots.js [FOLDER]: pictures of the page, `status` and `top` with the demo fleet, into docs/screenshots.
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundle, bundleOptions } = await import("./build.js");
await bundle();
await build({
  ...bundleOptions,
  packages: "external",
  entryPoints: { "test-screenshots": "test/dashboard/screenshots.ts" },
});
run(process.execPath, [join(root, "dist/test-screenshots.js"), ...process.argv.slice(2)]);
