import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { expandTilde, homeDir, openHome } from "./home.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-home-"));
afterAll(() => rmSync(root, { recursive: true }));
const folder = () => mkdtempSync(join(root, "home-"));
const mode = (path: string) => statSync(path).mode & 0o777;

test.each([
  ["nothing set", { HOME: "/home/me" }, "/home/me/.rollcall"],
  ["an empty ROLLCALL_HOME", { HOME: "/home/me", ROLLCALL_HOME: "" }, "/home/me/.rollcall"],
  ["a folder", { HOME: "/home/me", ROLLCALL_HOME: "/srv/roll" }, "/srv/roll"],
  ["a tilde that no shell expanded", { HOME: "/home/me", ROLLCALL_HOME: "~/roll" }, "/home/me/roll"],
  ["a tilde in the middle", { HOME: "/home/me", ROLLCALL_HOME: "/a/~/b" }, "/a/~/b"],
  ["no HOME at all", {}, join(homedir(), ".rollcall")],
])("the home with %s", (_, env, expected) => {
  expect(homeDir(env)).toBe(expected);
});

test("a tilde alone is the home folder, a user's name after it is left alone", () => {
  expect(expandTilde("~", { HOME: "/home/me" })).toBe("/home/me");
  expect(expandTilde("~other/x", { HOME: "/home/me" })).toBe("~other/x");
});

test("what is missing is created for its owner alone, with all folders above it", () => {
  const above = folder();
  const { beats, spool } = openHome(join(above, "a", "b"));
  for (const path of [join(above, "a"), join(above, "a", "b"), beats, spool]) expect(mode(path)).toBe(0o700);
});

test("a folder that is there keeps its mode", () => {
  const home = folder();
  mkdirSync(join(home, "beats"));
  chmodSync(join(home, "beats"), 0o770);
  openHome(home);
  expect(mode(join(home, "beats"))).toBe(0o770);
});

test("a file in the place of the home is named in the error", () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  expect(() => openHome(file)).toThrow(
    `cannot write ${join(file, "beats")}: a part of the path is not a folder`,
  );
});
