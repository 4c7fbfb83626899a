import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./product.ts";

const ROW = /^\| ([A-D]\d+) \| .* \| `([^`]+)` \| .* \|$/gm;
const page = readFileSync(join(root, "docs/requirements.md"), "utf8");
const rows = [...page.matchAll(ROW)].map(([, id = "", file = ""]) => ({ id, file }));
const asked = join(root, "../shared/requirements.md");

describe("docs/requirements.md", () => {
  it("has every row once, A1 to D7", () => {
    const all = { A: 9, B: 9, C: 10, D: 7 };
    const ids = Object.entries(all).flatMap(([part, count]) =>
      Array.from({ length: count }, (_, at) => `${part}${at + 1}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  it.skipIf(!existsSync(asked))(
    "has the rows that were asked for (skipped where they do not lie beside us)",
    () => {
      const ids = [...readFileSync(asked, "utf8").matchAll(/^\| ([A-D]\d+) \|/gm)].map(([, id]) => id);
      expect(rows.map(({ id }) => id)).toEqual(ids);
    },
  );

  it.each(rows)("$id is the title of a test in $file", ({ id, file }) => {
    const titles = readFileSync(join(root, file), "utf8").match(/["`](?:[A-D]\d+(?:, )?)+: /g) ?? [];
    expect(titles.flatMap((title) => title.match(/[A-D]\d+/g) ?? [])).toContain(id);
  });
});
