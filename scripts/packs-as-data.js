// Rule packs are written in YAML and bundled as data: reading YAML took a third of a start of the watcher.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The module that a YAML file stands for. */
const moduleOf = (text) => `export default ${JSON.stringify(parse(text))};`;

/** For esbuild. */
export const packsAsData = {
  name: "packs-as-data",
  setup(build) {
    build.onLoad({ filter: /\.yaml$/ }, ({ path }) => ({
      contents: moduleOf(readFileSync(path, "utf8")),
      loader: "js",
    }));
  },
};

/** For Vite, and so for the tests. */
export const packsAsDataForVite = {
  name: "packs-as-data",
  transform: (text, id) => (id.endsWith(".yaml") ? moduleOf(text) : undefined),
};
