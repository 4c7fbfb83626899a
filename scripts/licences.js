// dist/THIRD-PARTY-LICENSES.txt: the licence texts of all packages that the bundles contain, which their licences demand.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.js";

/** What SQLite's binaries were compiled with. */
const COMPILED_IN = "node_modules/node-addon-api";

/** The texts for what esbuild says that it put into the bundles. */
export function licencesOf(metafiles) {
  const folders = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([file]) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  return [...new Set([...folders, COMPILED_IN])]
    .sort()
    .map(licenceOf)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const files = readdirSync(join(root, folder), { recursive: true });
  const read = (file) => readFileSync(join(root, folder, file), "utf8");
  const own = files
    .filter((file) => /^(licen[cs]e|copying|notice)[^/]*$/i.test(file))
    .map((file) => read(file).trim());
  if (own.length === 0)
    own.push(...files.filter((file) => /^readme[^/]*$/i.test(file)).flatMap((file) => sectionOf(read(file))));
  if (own.length === 0 && license === "MIT")
    own.push(...mitWith(files.filter((file) => /js$/.test(file)).map(read)));
  if (own.length === 0)
    throw new Error(`${folder}: no licence text found, but the bundles contain this package`);
  return `${[`${name} ${version} (${license})`, ...own].join("\n\n")}\n`;
}

/** The licence at the end of a readme, if it is there as a whole. */
function sectionOf(readme) {
  const section = /^#+ licen[cs]e\s*$(.*)/ims.exec(readme)?.[1]?.trim() ?? "";
  return /copyright.*permission is hereby granted/is.test(section) ? [section] : [];
}

/** For packages that come without the text of the MIT licence: their copyright notices, and the text of our own. */
function mitWith(sources) {
  const comments = sources.flatMap((source) => source.match(/\/\*.*?\*\//gs) ?? []);
  const notices = new Set(comments.filter((comment) => /copyright/i.test(comment)));
  const ours = readFileSync(join(root, "LICENSE"), "utf8");
  return notices.size === 0 ? [] : [...notices, ours.slice(ours.indexOf("Permission is")).trim()];
}
