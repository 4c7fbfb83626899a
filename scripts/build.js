// npm run build: one bundle per entry into dist/, and the type declarations of what other programs import.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleUi } from "./build-ui.js";
import { packsAsData } from "./packs-as-data.js";
import { root } from "./setup.js";

/** Entry name in dist/ → source. Workers are entries because a thread loads a file of its own. */
const entries = {
  beat: "src/cli/beat.ts",
  agent: "src/agent/index.ts",
  index: "src/index.ts",
  "session-log": "src/session-log/index.ts",
  "sqlite-worker": "src/store/sqlite/worker.ts",
  "screen-worker": "src/signals/screens/screen-worker.ts",
};

/** What all bundles share. */
export const bundleOptions = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  external: ["@photostructure/sqlite"],
  plugins: [packsAsData],
  // Some bundled packages are CommonJS and call require for Node's own modules.
  banner: {
    js: 'import { createRequire as __cr } from "node:module"; const require = __cr(import.meta.url);',
  },
  legalComments: "none",
  sourcemap: "linked",
  logLevel: "warning",
};

export async function bundle(more = {}, { outdir = bundleOptions.outdir, plugins = [] } = {}) {
  const options = { ...bundleOptions, outdir, plugins: [...bundleOptions.plugins, ...plugins] };
  await Promise.all([
    build({ ...options, entryPoints: { ...entries, ...more } }),
    // The command line in pieces, each loaded when it is needed.
    build({
      ...options,
      entryPoints: { cli: "src/cli/main.ts", mcp: "src/cli/mcp/main.ts" },
      splitting: true,
    }),
    bundleUi(),
  ]);
}

if (process.argv[1] === join(root, "scripts", "build.js")) {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const types = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  if (types.status !== 0) process.exit(types.status ?? 1);
  await bundle();
}
