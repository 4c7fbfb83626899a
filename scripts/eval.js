// npm run eval:NAME: bundles eval/NAME/main.ts, as the product itself is bundled, and runs it in this process.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./setup.js";

const [, , name = "recordings"] = process.argv;
process.argv.splice(2, 1);
const folder = join(root, "node_modules", ".cache", "rollcall");
const outfile = join(folder, `eval-${name}-${process.pid}.mjs`);
mkdirSync(folder, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: [`eval/${name}/main.ts`],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "bundle",
  external: ["@photostructure/sqlite"],
  loader: { ".yaml": "text" },
  banner: {
    js: 'import { createRequire as __cr } from "node:module"; const require = __cr(import.meta.url);',
  },
  logLevel: "warning",
});
try {
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(outfile, { force: true });
}
