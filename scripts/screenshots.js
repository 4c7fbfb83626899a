// node scripts/screenshots.js [FOLDER]: pictures of the dashboard with a made-up fleet, into docs/screenshots.
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundleUi } = await import("./build-ui.js");
const { bundleOptions } = await import("./build.js");
await bundleUi();
await build({
  ...bundleOptions,
  packages: "external",
  entryPoints: { "test-screenshots": "test/dashboard/screenshots.ts" },
});
run(process.execPath, [join(root, "dist/test-screenshots.js"), ...process.argv.slice(2)]);
