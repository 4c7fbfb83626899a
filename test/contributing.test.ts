import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { root } from "./product.ts";

it("the files that CONTRIBUTING.md names exist", () => {
  const text = readFileSync(`${root}CONTRIBUTING.md`, "utf8");
  const named = [...text.matchAll(/`((?:src|ui|test|docs|scripts)\/[\w./-]+)`/g)].map(
    ([, path]) => path ?? "",
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
});

it("has a recipe for each common change", () => {
  const text = readFileSync(`${root}CONTRIBUTING.md`, "utf8");
  const recipes = [...text.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, name]) => name);
  expect(recipes).toHaveLength(10);
});

it("every `npm pack` and `npm publish` that a page names builds first: .npmrc forbids scripts unless one asks for them", () => {
  expect(readFileSync(`${root}.npmrc`, "utf8")).toContain("ignore-scripts=true");
  const text = ["README.md", "CONTRIBUTING.md"]
    .map((page) => readFileSync(`${root}${page}`, "utf8"))
    .join("\n");
  const named = text.match(/npm (?:pack|publish)\b.*/g) ?? [];
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((command) => !command.includes("--ignore-scripts=false"))).toEqual([]);
});
