import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isSomebodysOutput } from "./proc.ts";

it.skipIf(process.platform !== "linux")(
  "a file is somebody's output until another takes its place (needs /proc)",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
    const file = join(folder, "log");
    const output = openSync(file, "a");
    const child = spawn("cat", { stdio: ["pipe", output, "ignore"] });
    onTestFinished(() => {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    });
    await once(child, "spawn");
    closeSync(output);
    expect(isSomebodysOutput(statSync(file))).toBe(true);
    renameSync(file, `${file}.1`);
    writeFileSync(file, "");
    expect(isSomebodysOutput(statSync(file))).toBe(false);
  },
);
