import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

function check(...targets: string[]) {
  const done = spawnSync(process.execPath, ["scripts/architecture.js", ...targets], { encoding: "utf8" });
  return { status: done.status, said: `${done.stdout}${done.stderr}` };
}

/** That it holds for the product is one of the checks (`scripts/check.js`), which `npm test` runs first. */
describe("the import table", () => {
  it("is really checked: each planted violation is named", () => {
    const { status, said } = check("test/fixtures/architecture/src", "test/fixtures/architecture/ui");
    expect(status).toBe(1);
    const planted = ["core-imports", "core-is-pure", "no-sibling-adapters", "agent-has-no-dependency"];
    for (const rule of [
      ...planted,
      "one-door-to-the-store",
      "only-what-the-daemon-runs",
      "one-spawner",
      "one-http-client: test/fixtures/architecture/src/tools/alone.ts → https",
      "one-http-client: test/fixtures/architecture/src/tools/alone.ts: fetch(",
      "one-reader-of-proc",
      "no-folder-circles",
      "no-ui-root-imports",
      "ui-imports",
      "ui-is-for-browsers",
    ]) {
      expect(said).toContain(rule);
    }
  });

  it("fails when nothing is read", () => {
    expect(check("docs")).toMatchObject({ status: 2 });
  });
});
