import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadModule, moduleAction } from "./module.ts";

// What is wrong with modules is tested with the built program (test/action-modules.test.ts): the tests' own loader
// words its errors otherwise.

it("a module that is never ready is given up", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-module-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "mine.mjs");
  writeFileSync(file, "export default () => new Promise(() => {});");
  await expect(loadModule("mine", file, {}, 1000)).rejects.toMatchObject({
    code: "bad-action",
    message: `action mine: ${file} cannot be loaded: it was not ready within 1 s`,
  });
});

it.each([
  ["its own description", { description: "greets" }, "greets"],
  ["its file, if it has none", {}, "the module /m.mjs"],
  ["its file, if what it has is no text", { description: 7 }, "the module /m.mjs"],
])("a module is described by %s", (_, more, description) => {
  const action = moduleAction("mine", "/m.mjs", { ...more, execute: async () => ({ shouldNotify: false }) });
  expect(action).toMatchObject({ name: "mine", description });
});

it("an action that is an object keeps its own this", async () => {
  class Mine {
    readonly text = "hello";
    async execute() {
      return { shouldNotify: true, message: this.text };
    }
  }
  const result = await moduleAction("mine", "/m.mjs", new Mine()).execute({} as never);
  expect(result.message).toBe("hello");
});
