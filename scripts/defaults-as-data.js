// The config of an empty file, as data: most commands need nothing else of the config, and so load no schema.
import { build } from "esbuild";
import { packsAsData } from "./packs-as-data.js";

/** A schema opens no database. */
const withoutSqlite = {
  name: "without-sqlite",
  setup(build) {
    build.onResolve({ filter: /^@photostructure\/sqlite$/ }, ({ path }) => ({ path, namespace: "nothing" }));
    build.onLoad({ filter: /./, namespace: "nothing" }, () => ({ contents: "export class DatabaseSync {}" }));
  },
};

/** For esbuild. */
export const defaultsAsData = {
  name: "defaults-as-data",
  setup(whole) {
    whole.onLoad({ filter: /\/src\/config\/defaults\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        entryPoints: [path],
        ...{ bundle: true, write: false, platform: "node", format: "esm", target: "node20.19" },
        plugins: [packsAsData, withoutSqlite],
        define: { "import.meta.url": JSON.stringify("file:///bundle.js") },
        banner: {
          js: 'import { createRequire as __cr } from "node:module"; const require = __cr("file:///");',
        },
      });
      const source = Buffer.from(outputFiles[0].contents).toString("base64");
      const { DEFAULTS } = await import(`data:text/javascript;base64,${source}`);
      return { contents: `export const DEFAULTS = ${JSON.stringify(DEFAULTS)};`, loader: "js" };
    });
  },
};
