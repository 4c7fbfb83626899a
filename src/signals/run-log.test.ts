import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { signalOpener } from "./registry.ts";
import { showAgent } from "./run-log.ts";

function place() {
  const home = mkdtempSync(join(tmpdir(), "rollcall-run-log-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "logs"));
  return { agent: "bot", home, open: signalOpener("UTC") };
}

it("an agent without signals shows the end of what rollcall run wrote of it", async () => {
  const at = place();
  expect(await showAgent([], "screen", at)).toBeUndefined();
  const lines = Array.from({ length: 60 }, (_, line) => `line ${line}`);
  writeFileSync(join(at.home, "logs", "bot.log"), `${lines.join("\n")}\n`);
  expect(await showAgent([], "screen", at)).toBe(lines.slice(10).join("\n"));
  expect(await showAgent([], "raw", at)).toBe(`${lines.join("\n")}\n`);
});

it("a signal that shows something goes before that log", async () => {
  const at = place();
  writeFileSync(join(at.home, "logs", "bot.log"), "old\n");
  const own = join(at.home, "own.log");
  writeFileSync(own, "new\n");
  const settings = { log: { path: own, plain: true } };
  const readers = at.open({ agent: "bot", settings, memories: {}, journal: "" });
  expect(await showAgent(readers, "raw", at)).toBe("new\n");
});
