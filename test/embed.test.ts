import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { root, runToEnd } from "./product.ts";

it("another program schedules actions with nothing but what the package exports", async () => {
  // Beside the built package, where its own name leads to it as it would for a program that installed it.
  const built = join(root, "dist/example-embed.js");
  await build({
    entryPoints: [join(root, "examples/embed.ts")],
    outfile: built,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["rollcall"],
  });
  const { status, stdout, stderr } = await runToEnd(process.execPath, [built]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.trim().split("\n")).toEqual([
    "queue says: 2 new jobs",
    "queue: ran, told 1",
    "clock: ran, told 0",
    "stopped",
  ]);
});
