// The production files of src and ui, or of the folders that are named as arguments, and which of them imports which. Types
// count as well: a reader of one folder must then know the other.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";
import { root } from "./setup.js";

const NOT_PRODUCTION = /\.(test|contract|fixture)\.tsx?$|(^|\/)made-up[^/]*\.ts$|\/tsconfig\.json$/;

const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const roots = named.length > 0 ? named : ["src", "ui"];

/** Every file below the folders. */
export const allFiles = roots.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
);

/** Path → text of each file that is neither a test nor a contract suite nor a fixture. */
export const production = new Map(
  allFiles
    .filter((file) => !NOT_PRODUCTION.test(file))
    .sort()
    .map((file) => [file, readFileSync(join(root, file), "utf8")]),
);

/** The same, of those that are TypeScript. */
export const code = [...production].filter(([file]) => /\.tsx?$/.test(file));

/** Pairs of files: the first imports the second. */
export const imports = code.flatMap(([file, text]) =>
  ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => join(dirname(file), fileName))
    .filter((to) => production.has(to))
    .map((to) => [file, to]),
);

/** The folder of a file, as many folders deep. The page counts as one folder beside those of src. */
export function folderOf(file, depth) {
  const top = roots.find((each) => file.startsWith(`${each}/`));
  const below = dirname(file.slice(top.length + 1)).split("/");
  return join(top, ...below.slice(0, basename(top) === "ui" ? depth - 1 : depth));
}

/** Folder → the folders that it imports. */
export function folderGraph(depth) {
  const graph = new Map([...production.keys()].map((file) => [folderOf(file, depth), new Set()]));
  for (const [from, to] of imports) graph.get(folderOf(from, depth)).add(folderOf(to, depth));
  for (const [folder, others] of graph) others.delete(folder);
  return graph;
}

/** Every folder that another reaches over its imports. */
export function reach(graph, from, found = new Set()) {
  for (const to of graph.get(from)) if (!found.has(to)) reach(graph, to, found.add(to));
  return found;
}
