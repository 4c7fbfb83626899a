import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fileLog } from "./log.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "rollcall-log-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it("a log that can take nothing more loses its lines and ends nothing", () => {
  const { log, close } = fileLog(join(folder(), "rollcall.log"));
  close();
  for (let n = 0; n < 100; n++) expect(() => log.warn({ n }, "a line")).not.toThrow();
});
