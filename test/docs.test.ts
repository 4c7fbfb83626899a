import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PROBLEMS } from "../src/web/problem.ts";
import { root } from "./product.ts";

describe("the docs say what the code does", () => {
  it("docs/api.md lists every problem code with its status", () => {
    const listed = [
      ...readFileSync(`${root}docs/api.md`, "utf8").matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|$/gm),
    ];
    const inCode = Object.entries(PROBLEMS).map(([code, [status]]) => `${code} ${status}`);
    expect(listed.map(([, code, status]) => `${code} ${status}`).sort()).toEqual(inCode.sort());
  });
});
