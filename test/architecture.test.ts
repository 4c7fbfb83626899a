import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

function check(target: string) {
  const done = spawnSync(process.execPath, ["scripts/architecture.js", target], { encoding: "utf8" });
  return { status: done.status, said: `${done.stdout}${done.stderr}` };
}

describe("the import table", () => {
  it("holds for the product", () => {
    expect(check("src")).toMatchObject({ status: 0 });
  });

  it("is really checked: each planted violation is named", () => {
    const { status, said } = check("test/fixtures/architecture/src");
    expect(status).toBe(1);
    for (const rule of ["core-imports", "core-is-pure", "no-sibling-adapters", "agent-has-no-dependency"]) {
      expect(said).toContain(rule);
    }
  });

  it("fails when nothing is read", () => {
    expect(check("docs")).toMatchObject({ status: 2 });
  });
});
