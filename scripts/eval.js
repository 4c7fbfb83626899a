// npm run eval:NAME: bundles eval/NAME/main.ts and runs it with the remaining arguments.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root, run } from "./setup.js";

const [name = "", ...args] = process.argv.slice(2);
const source = join(root, "eval", name, "main.ts");
if (name === "" || !existsSync(source)) {
  console.error(
    `usage: node scripts/eval.js NAME [ARGUMENTS], where eval/NAME/main.ts exists; got "${name}"`,
  );
  process.exit(2);
}
const outfile = join(root, "dist", `eval-${name}.js`);
await build({
  absWorkingDir: root,
  entryPoints: [source],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "bundle",
  external: ["@photostructure/sqlite"],
  // Some bundled packages are CommonJS and call require for Node's own modules.
  banner: {
    js: 'import { createRequire as __cr } from "node:module"; const require = __cr(import.meta.url);',
  },
  legalComments: "none",
  sourcemap: "linked",
  logLevel: "warning",
});
run(process.execPath, [outfile, ...args], { cwd: process.cwd() });
