import { execFileSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeFolder, openToAppend, readNamedFile, readOwnFile } from "./files.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-files-"));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;
const path = () => join(root, String(count++));
const isRoot = process.geteuid?.() === 0;

function plain(text: string): string {
  const file = path();
  writeFileSync(file, text);
  return file;
}

function pipe(): string {
  const file = path();
  execFileSync("mkfifo", [file]);
  return file;
}

function folder(): string {
  const made = path();
  mkdirSync(made);
  return made;
}

function link(to: string): string {
  const made = path();
  symlinkSync(to, made);
  return made;
}

function sparse(): string {
  const file = plain("");
  truncateSync(file, 3 * 2 ** 30);
  return file;
}

test("a plain file is read whole up to the limit, of the kernel's files too", () => {
  expect(readOwnFile(plain("12345"), 5).toString()).toBe("12345");
  expect(readOwnFile(plain(""), 5).toString()).toBe("");
  expect(readOwnFile(plain("x".repeat(200_000)), 200_000)).toHaveLength(200_000);
  expect(readNamedFile("/proc/self/comm", 100).length).toBeGreaterThan(0);
  expect(() => readOwnFile(path(), 5)).toThrow(expect.objectContaining({ code: "ENOENT" }));
});

test.each([
  ["a pipe", pipe, "is a named pipe"],
  ["a folder", folder, "is a folder"],
  ["a device behind a link", () => link("/dev/zero"), /is a (symbolic link|device)/],
  ["a file beyond the limit", () => plain("123456"), "is larger than 5 bytes"],
  ["a sparse file of 3 GB", sparse, "is larger than 5 bytes"],
  ["a file of the kernel beyond the limit", () => "/proc/self/status", /larger|belongs/],
])("%s is refused by name, and nobody waits", (_, make, why) => {
  const odd = make();
  for (const read of [readOwnFile, readNamedFile]) {
    expect(() => read(odd, 5)).toThrow(expect.objectContaining({ code: "odd-file" }));
    expect(() => read(odd, 5)).toThrow(why);
    expect(() => read(odd, 5)).toThrow(odd);
  }
});

test("a link is followed only where a person named the file", () => {
  const linked = link(plain("here"));
  expect(readNamedFile(linked, 100).toString()).toBe("here");
  expect(() => readOwnFile(linked, 100)).toThrow("is a symbolic link");
  const circle = path();
  symlinkSync(circle, circle);
  expect(() => readNamedFile(circle, 100)).toThrow("leads in a circle");
});

test.skipIf(!isRoot)(
  "a file of another user is ours only if that user owns the folder (skipped: only root can give files away)",
  () => {
    const home = folder();
    const file = join(home, "x");
    writeFileSync(file, "theirs");
    chownSync(file, 65534, 65534);
    expect(() => readOwnFile(file, 100)).toThrow("belongs to user 65534, not to user 0");
    expect(readNamedFile(file, 100).toString()).toBe("theirs");
    chownSync(home, 65534, 65534);
    expect(readOwnFile(file, 100).toString()).toBe("theirs");
  },
);

test.each([
  ["a pipe", pipe],
  ["a folder", folder],
  ["a device behind a link", () => link("/dev/zero")],
])("%s in the place of a log is moved aside", (_, make) => {
  const file = make();
  const fd = openToAppend(file);
  writeSync(fd, "one");
  closeSync(fd);
  expect(readFileSync(file, "utf8")).toBe("one");
  expect(existsSync(`${file}.odd`)).toBe(true);
});

test("folders are made with those above them, and none under /proc", () => {
  const deep = join(path(), "a", "b");
  makeFolder(deep);
  makeFolder(deep);
  writeFileSync(join(deep, "x"), "");
  expect(() => makeFolder(join(deep, "x"))).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(() => makeFolder(join(deep, "x", "y"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  expect(() => makeFolder("/proc/rollcall/a")).toThrow(expect.objectContaining({ code: "ENOENT" }));
});
