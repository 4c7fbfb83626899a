import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

function run(script: string, ...args: string[]) {
  const done = spawnSync(process.execPath, [`scripts/${script}.js`, "test/fixtures/house/src", ...args], {
    encoding: "utf8",
  });
  return { status: done.status, said: `${done.stdout}${done.stderr}` };
}

describe("npm run house", () => {
  it("names what was planted, and refuses nothing", () => {
    const { status, said } = run("house");
    expect(status).toBe(0);
    expect(said).toContain("production lines: 40, of which TypeScript: 40\n");
    expect(said).toContain(
      "complexity 15: 1\n  test/fixtures/house/src/a/one.ts:7 knotted: 16\n\n" +
        "exported types that share a name: 2\n" +
        "  Agent: test/fixtures/house/src/a/one.ts, test/fixtures/house/src/b/two.ts\n" +
        "  Shared: test/fixtures/house/src/a/one.ts, test/fixtures/house/src/b/two.ts\n",
    );
    expect(said).toContain(
      "one deep: 1\n  test/fixtures/house/src/a, test/fixtures/house/src/b\n" +
        "    test/fixtures/house/src/a → test/fixtures/house/src/b (1)\n",
    );
  });

  it("refuses types that share a name when it is told to", () => {
    const { status, said } = run("house", "--check");
    expect(status).toBe(1);
    expect(said).toContain("error one-type-a-name Shared: test/fixtures/house/src/a/one.ts");
    expect(said).not.toContain("one-type-a-name Agent");
  });
});

it("the picture of the folders shows who imports whom", () => {
  expect(run("folders").said).toContain("test/fixtures/house/src/a --> test/fixtures/house/src/b\n");
});

it("the picture in ARCHITECTURE.md is the one that the imports draw", () => {
  const { stdout } = spawnSync(process.execPath, ["scripts/folders.js"], { encoding: "utf8" });
  expect(readFileSync("ARCHITECTURE.md", "utf8")).toContain(stdout);
});

it("the watcher's bundle holds no command but its own", () => {
  const { sources } = JSON.parse(readFileSync("dist/watch.cjs.map", "utf8")) as { sources: string[] };
  expect(sources.filter((source) => source.includes("src/cli/commands/"))).toEqual([
    "../src/cli/commands/up.ts",
  ]);
});
