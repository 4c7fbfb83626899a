// npm run eval:NAME [-- ARGUMENTS]: bundles eval/NAME/main.ts as the product itself is bundled, and runs it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, run, setup } from "./setup.js";

setup();
const { build } = await import("esbuild");
const { bundleOptions } = await import("./build.js");

const [name = "", ...args] = process.argv.slice(2);
if (name === "" || !existsSync(join(root, "eval", name, "main.ts"))) {
  console.error(
    `usage: node scripts/eval.js NAME [ARGUMENTS], where eval/NAME/main.ts exists; got "${name}"`,
  );
  process.exit(2);
}
await build({ ...bundleOptions, entryPoints: { [`eval-${name}`]: `eval/${name}/main.ts` } });
run(process.execPath, [join(root, "dist", `eval-${name}.js`), ...args], { cwd: process.cwd() });
