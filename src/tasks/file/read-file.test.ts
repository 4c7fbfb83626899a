import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../kit/tasks.fixture.ts";
import { readFileUpTo } from "./index.ts";

function folder(): string {
  const made = temporaryFolder();
  onTestFinished(made.remove);
  return made.folder;
}
const patience = () => new AbortController().signal;

test("a file is read up to a limit", async () => {
  const path = join(folder(), "f");
  writeFileSync(path, "12345");
  expect(String(await readFileUpTo(path, 5, patience()))).toBe("12345");
  expect(await readFileUpTo(path, 4, patience())).toBe("too-large");
});

test("a folder or a pipe without a writer is no file, and does not hang", async () => {
  const pipe = join(folder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(await readFileUpTo(pipe, 5, patience())).toBe("no-file");
  expect(await readFileUpTo(folder(), 5, patience())).toBe("no-file");
});

test("what is missing, or not wanted any more, rejects", async () => {
  const path = join(folder(), "f");
  await expect(readFileUpTo(path, 5, patience())).rejects.toMatchObject({ code: "ENOENT" });
  await expect(readFileUpTo(path, 5, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});
