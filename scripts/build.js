// npm run build: one bundle per entry into dist/, and the type declarations of what other programs import.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { bundleCli, compileCli, writeList, writeManual } from "./build-cli.js";
import { bundleSqlite, placeBinaries, sqliteBeside } from "./build-sqlite.js";
import { bundleUi } from "./build-ui.js";
import { licencesOf } from "./licences.js";
import { packsAsData } from "./packs-as-data.js";
import { compiler, root, run } from "./setup.js";

/** Entry name in dist/ → source, each bundled whole. Workers are entries because a thread loads a file of its own. */
const entries = {
  agent: "src/agent/index.ts",
  index: "src/index.ts",
  "session-log": "src/session-log/index.ts",
  "sqlite-worker": "src/store/sqlite/worker.ts",
};

/** What shares pieces with each other. */
const entriesInPieces = {
  mcp: "src/cli/mcp/main.ts",
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
  plugins: [packsAsData, sqliteBeside],
  // Its other form loads its parts in a way that no bundler can follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  // Some bundled packages are CommonJS and call require for Node's own modules.
  banner: {
    js: 'import { createRequire as __cr } from "node:module"; const require = __cr(import.meta.url);',
  },
  // Less to read and to keep in memory. Names stay, so that a stack trace can be read.
  ...{ minifyWhitespace: true, minifySyntax: true, lineLimit: 200 },
  legalComments: "none",
  sourcemap: "linked",
  metafile: true,
  logLevel: "warning",
};

export async function bundle(more = {}, { outdir = bundleOptions.outdir, plugins = [] } = {}) {
  const options = { ...bundleOptions, outdir, plugins: [...bundleOptions.plugins, ...plugins] };
  // Compiled code of another bundle must never meet this one.
  for (const name of ["cli", "beat", "more", "watch"])
    rmSync(resolve(root, outdir, `${name}.cjs.cache`), { force: true });
  const cli = await bundleCli(options);
  const results = await Promise.all([
    build({ ...options, entryPoints: { ...entries, ...more } }),
    build({ ...options, entryPoints: entriesInPieces, splitting: true }),
    bundleSqlite(options),
    bundleUi(),
  ]);
  const metafiles = [...cli, ...results.map(({ metafile }) => metafile)];
  placeBinaries(resolve(root, outdir));
  removeOthers(resolve(root, outdir), metafiles);
  writeFileSync(resolve(root, outdir, "THIRD-PARTY-LICENSES.txt"), licencesOf(metafiles));
  if (outdir !== bundleOptions.outdir) return;
  writeList(resolve(root, outdir));
  await compileCli();
  writeManual(resolve(root, outdir));
}

/** Removes the bundles of earlier builds: the names of chunks change with what is in them. */
function removeOthers(outdir, metafiles) {
  const made = new Set(
    metafiles.flatMap(({ outputs }) => Object.keys(outputs).map((path) => resolve(root, path))),
  );
  const bundles = readdirSync(outdir).filter((name) => /\.c?js(\.map)?$/.test(name));
  for (const name of bundles) if (!made.has(join(outdir, name))) rmSync(join(outdir, name));
}

if (process.argv[1] === join(root, "scripts", "build.js")) {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  run(process.execPath, [compiler, "-p", "tsconfig.types.json"]);
  await bundle();
}
