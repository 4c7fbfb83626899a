// npm run bench -- growth --json FILE && node scripts/plot-growth.js FILE: draws docs/growth.svg. Both axes are logarithmic,
// so that a cost that grows with the number of agents is a line at 45 degrees, and one that stays the same is level.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.js";

const { results } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const lines = results.flatMap(({ name, ours }) => {
  const [, what, sizes] = /^growth: (\w+) with (.+) agents$/.exec(name) ?? [];
  if (what === undefined) return [];
  const numbers = (text) => text.split(" / ").map((each) => Number.parseFloat(each.replaceAll(",", "")));
  return [{ what, sizes: numbers(sizes), figures: numbers(ours), ours }];
});
if (lines.length === 0) throw new Error(`${process.argv[2]} holds no figures of bench/growth`);

const [WIDTH, HEIGHT, LEFT, TOP, DECADE] = [760, 360, 60, 30, 100];
const COLOURS = ["#1f6feb", "#1a7f37", "#9a6700", "#cf222e", "#8250df", "#57606a"];
const first = Math.log10(lines[0].sizes[0]);
const x = (size) => LEFT + (Math.log10(size) - first) * 200;
/** Over the figure of the smallest fleet: all lines begin at 1. */
const y = (ratio) => TOP + 280 - Math.log10(Math.max(ratio, 0.1)) * DECADE;
const text = (at, down, words, more = "") => `<text x="${at}" y="${down}" ${more}>${words}</text>`;
const drawn = lines.flatMap(({ sizes, figures, ours, what }, i) => {
  const points = sizes.map((size, k) => `${x(size).toFixed(1)},${y(figures[k] / figures[0]).toFixed(1)}`);
  const colour = COLOURS[i % COLOURS.length];
  return [
    `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    text(LEFT + 420, TOP + 60 + i * 24, `${what}: ${ours}`, `fill="${colour}"`),
  ];
});
const grid = [1, 10, 100].map(
  (ratio) =>
    `<line x1="${LEFT}" x2="${LEFT + 400}" y1="${y(ratio)}" y2="${y(ratio)}" stroke="#d0d7de"/>${text(LEFT - 8, y(ratio) + 4, `${ratio} ×`, 'text-anchor="end"')}`,
);
const sizes = lines[0].sizes.map((size) =>
  text(x(size), TOP + 304, size.toLocaleString("en"), 'text-anchor="middle"'),
);
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13" role="img">
<title>How the costs of a watcher grow with the number of its agents</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${[...grid, ...sizes, ...drawn].join("\n")}
</svg>
`;
writeFileSync(join(root, "docs", "growth.svg"), svg);
