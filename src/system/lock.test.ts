import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FileLock, locked, lockedWhile } from "./lock.ts";

function lockFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "lock");
}

it("of many who take their time one is in at a time, and each gets its turn", async () => {
  const file = lockFile();
  let inside = 0;
  const most: number[] = [];
  const enter = async () => {
    most.push(++inside);
    await new Promise((done) => setImmediate(done));
    inside -= 1;
    return "done";
  };
  const all = await Promise.all(Array.from({ length: 5 }, () => lockedWhile(file, 60_000, enter)));
  expect(all).toEqual(Array(5).fill("done"));
  expect(most).toEqual([1, 1, 1, 1, 1]);
});

it("whoever has no patience left does nothing", async () => {
  const file = lockFile();
  const held = await lockedWhile(file, 0, () => lockedWhile(file, 0, async () => "twice"));
  expect(held).toBeUndefined();
  expect(await lockedWhile(file, 0, async () => "free again")).toBe("free again");
});

it("is free again when the work fails, and a file that is no lock is an error", async () => {
  const file = lockFile();
  await expect(lockedWhile(file, 0, () => Promise.reject(new Error("x")))).rejects.toThrow("x");
  expect(locked(file, () => 1)).toBe(1);
  writeFileSync(`${file}.txt`, "this is not an empty file, nor a database of any kind at all".repeat(20));
  await expect(lockedWhile(`${file}.txt`, 0, async () => 1)).rejects.toThrow("not a database");
});

it("stays held when the same process tries to take it again: no descriptor is closed behind it", () => {
  const file = lockFile();
  const lock = FileLock.take(file);
  expect(FileLock.take(file)).toBeUndefined();
  const script = `import { DatabaseSync } from "@photostructure/sqlite";
    const other = new DatabaseSync(${JSON.stringify(file)});
    other.exec("BEGIN EXCLUSIVE")`;
  const other = () =>
    spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(other().stderr).toContain("database is locked");
  lock?.release();
  expect(other().status).toBe(0);
});
