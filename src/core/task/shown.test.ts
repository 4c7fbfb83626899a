import { expect, test } from "vitest";
import { sayProblem } from "../beat-input.ts";
import { shown } from "./capabilities.ts";

test.each<[unknown, string]>([
  [undefined, "nothing"],
  [null, "null"],
  ["x", '"x"'],
  [1n, '"1"'],
  [[[]], '"(a list)"'],
  [{ a: 1n }, '"(an object)"'],
])("a problem with %s can be said", (value, said) => {
  expect(sayProblem({ path: "", value: shown(value), expected: "it" })).toBe(`expected it, not ${said}`);
});
