// SQLite in dist/: the package's code in dist/sqlite/, and its binaries in dist/prebuilds/, where that code looks for them.
// As a dependency it would bring its C sources and binaries for Windows: 29 MB instead of 14 (docs/adr/0015).
import { copyFileSync, linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { root } from "./setup.js";

const PACKAGE = "@photostructure/sqlite";

/** CommonJS, which every bundle can load at once. */
export function bundleSqlite({ banner: _, ...options }) {
  return build({
    ...options,
    entryPoints: { "sqlite/index": PACKAGE },
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    define: { "import.meta.url": "__bundleUrl" },
    banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
}

/** For esbuild: all bundles import the one in dist/sqlite/. */
export const sqliteBeside = {
  name: "sqlite-beside",
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${PACKAGE}$`) }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./sqlite/index.cjs", external: true },
    );
  },
};

/**
 * Puts the binaries for Linux and macOS there: as links where possible, because a test may load one from here and one
 * from node_modules. Two copies of SQLite in one process would take each other's locks away.
 */
export function placeBinaries(outdir) {
  const from = join(root, "node_modules", PACKAGE, "prebuilds");
  const binaries = readdirSync(from, { recursive: true }).filter((file) =>
    /^(linux|darwin).*\.node$/.test(file),
  );
  for (const file of binaries) {
    const to = join(outdir, "prebuilds", file);
    mkdirSync(dirname(to), { recursive: true });
    rmSync(to, { force: true });
    try {
      linkSync(join(from, file), to);
    } catch {
      copyFileSync(join(from, file), to);
    }
  }
}
