// npm run house [-- --check]: counts production lines, and lists what is worth a look: large folders, files and functions,
// exported types that share a name, and folders that import each other in a circle. It refuses nothing; with --check it
// refuses shared names that are not allowed below.
import { dirname } from "node:path";
import ts from "typescript";
import { allFiles, code, folderGraph, folderOf, imports, production, reach } from "./sources.js";

/** Public names of the client library in src/agent, which must stay. They are also the words of the core for the same things. */
const MAY_SHARE = ["Agent", "Cycle"];
const [MOST_FILES, MOST_LINES, MOST_COMPLEX] = [25, 300, 15];

/** Keys with the sum of their numbers, the largest first. */
function sums(pairs) {
  const found = new Map();
  for (const [key, number] of pairs) found.set(key, (found.get(key) ?? 0) + number);
  return [...found].sort(([, a], [, b]) => b - a);
}

function tell(title, lines) {
  console.log(`\n${title}: ${lines.length}`);
  for (const line of lines) console.log(`  ${line}`);
}

const { SyntaxKind } = ts;
const BRANCHES = new Set([
  ...[
    SyntaxKind.IfStatement,
    SyntaxKind.ConditionalExpression,
    SyntaxKind.CaseClause,
    SyntaxKind.CatchClause,
  ],
  ...[SyntaxKind.ForStatement, SyntaxKind.ForInStatement, SyntaxKind.ForOfStatement],
  ...[SyntaxKind.WhileStatement, SyntaxKind.DoStatement],
  ...[SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken],
]);

/** Every function of a file with its cyclomatic complexity. A function within another counts for itself. */
function functionsIn(file, source) {
  const found = [];
  const visit = (node, owner) => {
    let inner = owner;
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      const name = (node.name ?? node.parent.name)?.getText(source) ?? "a function";
      inner = { name: `${file}:${line} ${name}`, complexity: 1 };
      found.push(inner);
    } else if (BRANCHES.has(node.kind) && owner !== undefined) owner.complexity += 1;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, undefined);
  return found;
}

/** The types that a file declares and exports. Those that it passes on from other files do not count. */
function exportedTypesIn({ statements }) {
  const listed = statements
    .filter((node) => ts.isExportDeclaration(node) && node.moduleSpecifier === undefined)
    .flatMap(({ exportClause }) =>
      exportClause.elements.map(({ name, propertyName }) => propertyName ?? name),
    );
  const isExported = (node) =>
    ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export ||
    listed.some(({ text }) => text === node.name.text);
  return statements
    .filter(
      (node) =>
        ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node),
    )
    .filter((node) => node.name !== undefined && isExported(node))
    .map(({ name }) => name.text);
}

/** Each circle of folders, with the imports that make it. */
function circles(depth) {
  const graph = folderGraph(depth);
  const found = new Map();
  for (const folder of graph.keys()) {
    const circle = [...reach(graph, folder)].filter((other) => reach(graph, other).has(folder)).sort();
    if (circle.length > 0) found.set(circle.join(", "), circle);
  }
  const between = (from, to) =>
    imports.filter(([a, b]) => folderOf(a, depth) === from && folderOf(b, depth) === to);
  return [...found].map(([names, circle]) => {
    const edges = circle.flatMap((from) =>
      circle.filter((to) => graph.get(from).has(to)).map((to) => [from, to]),
    );
    const said = edges.map(([from, to]) => `\n    ${from} → ${to} (${between(from, to).length})`);
    return `${names}${said.join("")}`;
  });
}

const lines = [...production].map(([file, text]) => [file, text.split("\n").length - 1]);
const total = (some) => some.reduce((all, [, count]) => all + count, 0);
const typeScript = lines.filter(([file]) => /\.tsx?$/.test(file));
console.log(`production lines: ${total(lines)}, of which TypeScript: ${total(typeScript)}`);
for (const [folder, count] of sums(lines.map(([file, count]) => [folderOf(file, 1), count])))
  console.log(`  ${String(count).padStart(6)}  ${folder}`);

const inProduction = new Map(sums([...production.keys()].map((file) => [dirname(file), 1])));
tell(
  `folders with over ${MOST_FILES} files, tests included`,
  sums(allFiles.map((file) => [dirname(file), 1]))
    .filter(([, count]) => count > MOST_FILES)
    .map(([folder, count]) => `${folder}: ${count}, of which production: ${inProduction.get(folder) ?? 0}`),
);
tell(
  `files over ${MOST_LINES} lines`,
  sums(lines)
    .filter(([, count]) => count > MOST_LINES)
    .map(([file, count]) => `${file}: ${count}`),
);

const sources = code.map(([file, text]) => [
  file,
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true),
]);
const functions = sources.flatMap(([file, source]) => functionsIn(file, source));
tell(
  `functions over complexity ${MOST_COMPLEX}`,
  sums(functions.map(({ name, complexity }) => [name, complexity]))
    .filter(([, complexity]) => complexity > MOST_COMPLEX)
    .map(([name, complexity]) => `${name}: ${complexity}`),
);

const declared = new Map();
for (const [file, source] of sources)
  for (const name of exportedTypesIn(source)) declared.set(name, [...(declared.get(name) ?? []), file]);
const shared = [...declared].filter(([, where]) => where.length > 1).sort();
tell(
  "exported types that share a name",
  shared.map(([name, where]) => `${name}: ${where.join(", ")}`),
);
tell("circles of folders, one deep", circles(1));
tell("circles of folders, two deep", circles(2));
const refused = shared.filter(([name]) => !MAY_SHARE.includes(name));
if (process.argv.includes("--check") && refused.length > 0) {
  for (const [name, where] of refused) console.error(`error one-type-a-name ${name}: ${where.join(", ")}`);
  process.exitCode = 1;
}
