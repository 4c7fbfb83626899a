// npm run docs:config: writes docs/config.md from the schema of the config (test/config-reference.ts).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundleOptions } = await import("./build.js");
await build({ ...bundleOptions, entryPoints: { "config-reference": "test/config-reference.ts" } });
const { configReference } = await import(pathToFileURL(join(root, "dist/config-reference.js")).href);
writeFileSync(join(root, "docs/config.md"), configReference());
