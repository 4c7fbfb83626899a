import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fillTemplate, type LogPlace, sessionLog } from "./template.ts";

const T = Date.UTC(2026, 2, 29, 1);
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rollcall session log "));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Makes a file that was written `age` seconds ago. */
function file(name: string, age = 0, text = name): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, T / 1000 - age, T / 1000 - age);
}
const find = (place: LogPlace, now = T) => sessionLog(place).find(now);

describe("the path of a log", () => {
  const keys = { agent: "allegro", repo: "rollcall", worker: "w1", odd: "a*b" };
  it.each([
    ["/logs/{agent}.log", "/logs/allegro.log", false],
    ["/{repo}/{worker}/{agent}-*.log", "/rollcall/w1/allegro-*.log", true],
    ["~/x.log", `${homedir()}/x.log`, false],
    ["{home}/x.log", `${homedir()}/x.log`, false],
    ["/a~/x.log", "/a~/x.log", false],
    ["/{odd}.log", "/a*b.log", false],
    ["/{odd}-?.log", "/a\\*b-?.log", true],
  ])("%s is %s", (template, path, isPattern) => {
    expect(fillTemplate(template, keys)).toEqual({ path, isPattern });
  });
  it("with a key that nobody knows is a problem that names the known ones", async () => {
    expect(await find({ path: "/logs/{agnet}.log", keys: { agent: "a" } })).toEqual({
      problem: "the log's path /logs/{agnet}.log asks for {agnet}, which is not known here ({home}, {agent})",
    });
  });
  it("that is not given at all is a problem too", async () => {
    expect(await find({})).toEqual({ problem: "the log has neither a path nor a folder" });
  });
});

describe("a log is found", () => {
  it("with its time, size, identity and folder", async () => {
    file("a.log", 5, "hello");
    expect(await find({ path: join(root, "a.log") })).toEqual({
      ...{ path: join(root, "a.log"), folder: root, modifiedAt: T - 5000, size: 5 },
      ...{ dev: expect.any(Number), ino: expect.any(Number) },
    });
  });
  it.each([
    ["the newest that fits a pattern", { path: "{root}/a-*.log" }, "a-2.log"],
    ["the newest in a folder, apart from hidden ones and folders", { folder: "{root}" }, "c.txt"],
    ["one for which a single character is open", { path: "{root}/a-?.log" }, "a-2.log"],
    ["in folders that are open too", { path: "{root}/20*/*/x.log" }, "2026/02/x.log"],
  ])("%s", async (_, place, name) => {
    file("a-1.log", 50);
    file("a-2.log", 40);
    file("a-22.log", 45);
    file("c.txt", 10);
    file(".hidden", 0);
    file("2026/01/x.log", 30);
    file("2026/02/x.log", 20);
    expect(await find({ ...place, keys: { root } })).toMatchObject({ path: join(root, name) });
  });
  it("again when a newer one is made, and when an older one is written to some time later", async () => {
    file("1.log", 50);
    const log = sessionLog({ folder: root });
    expect(await log.find(T)).toMatchObject({ path: join(root, "1.log") });
    file("2.log", 40);
    expect(await log.find(T + 1000)).toMatchObject({ path: join(root, "2.log") });
    file("1.log", 30);
    expect(await log.find(T + 60_000)).toMatchObject({ path: join(root, "1.log") });
  });
  it("only where it is accepted", async () => {
    file("mine.log", 50);
    file("other.log", 10);
    const accepts = (path: string) => Promise.resolve(path.includes("mine"));
    expect(await find({ folder: root, accepts })).toMatchObject({ path: join(root, "mine.log") });
    expect(await find({ path: `${root}/o*`, accepts })).toEqual({
      problem: `none of the 1 files that fit ${root}/o* is its own`,
    });
  });
});

describe("a log that is not to be had is a sentence", () => {
  it.each([
    ["missing", "missing", "does not exist"],
    ["in a file instead of a folder", "file/x", "does not exist (a part of its path is not a folder)"],
    ["a folder", "folder", "is a folder, not a file"],
    ["a link in a circle", "circle", "is a symbolic link that leads in a circle"],
  ])("%s", async (_, name, why) => {
    file("file");
    mkdirSync(join(root, "folder"));
    symlinkSync(join(root, "circle"), join(root, "circle"));
    expect(await find({ path: join(root, name) })).toMatchObject({
      problem: `the log ${join(root, name)} ${why}`,
    });
  });
  it("a device", async () => {
    expect(await find({ path: "/dev/null" })).toEqual({
      problem: "the log /dev/null is a device or pipe, not a file",
    });
  });
  it("a pattern that nothing fits, and a folder that is not there", async () => {
    expect(await find({ path: `${root}/*.log` })).toEqual({ problem: `no file fits ${root}/*.log` });
    expect(await find({ folder: `${root}/no` })).toEqual({
      problem: `the log's folder ${root}/no does not exist`,
    });
  });
});

describe("of a log is read", () => {
  const text = (got: object) => ("bytes" in got ? new TextDecoder().decode(got.bytes as Uint8Array) : got);
  it("what is asked for and no more", async () => {
    file("a.log", 0, "0123456789");
    const log = sessionLog({ path: join(root, "a.log") });
    const found = await log.find(T);
    if ("problem" in found) throw new Error(found.problem);
    expect(text(await log.read(found, 3, 4))).toBe("3456");
    expect(text(await log.read(found, 8, 100))).toBe("89");
    expect(text(await log.read(found, 50, 100))).toBe("");
    expect(text(await log.tail(found, 3))).toBe("789");
    expect(text(await log.tail(found, 100))).toBe("0123456789");
    rmSync(found.path);
    expect(await log.tail(found, 3)).toEqual({ problem: `the log ${found.path} does not exist` });
  });
});
