// node scripts/folders.js: the picture of the folders, drawn from the imports, as Mermaid. An arrow that follows from others is
// left out: where a imports b and b imports c, that a imports c is not drawn.
import { folderGraph, reach } from "./sources.js";

const graph = folderGraph(1);

/** Whether nothing else that is imported leads there. In a circle nothing follows from the rest. */
function isDrawn(from, to) {
  const others = [...graph.get(from)].filter((other) => other !== to && !reach(graph, to).has(other));
  return !others.some((other) => reach(graph, other).has(to));
}

const nameOf = (folder) => (folder === "src" ? "index" : folder.replace(/^src\//, ""));
const arrows = [...graph].sort().flatMap(([from, all]) => {
  const drawn = [...all].filter((to) => isDrawn(from, to)).sort();
  return drawn.length === 0 ? [] : [`  ${nameOf(from)} --> ${drawn.map(nameOf).join(" & ")}`];
});
console.log(["```mermaid", "graph TD", ...arrows, "```"].join("\n"));
