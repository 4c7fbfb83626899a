import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileNeed } from "./needs.ts";
import { lackOf } from "./on-disk.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall on disk "));
const at = (name: string): string => join(folder, name);

function script(name: string, text: string, mode: number): void {
  writeFileSync(at(name), text);
  chmodSync(at(name), mode);
}

beforeAll(() => {
  script("good", "#!/bin/sh\n", 0o755);
  script("plain", "#!/bin/sh\n", 0o644);
  script("nowhere", "#!/no/such/interpreter -x\n", 0o755);
  script("by-env", "#!/usr/bin/env -S good --flag\n", 0o755);
  script("main.js", "", 0o644);
  symlinkSync(at("gone"), at("dangling"));
  mkdirSync(at("inner"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("what a command needs is looked for on the disk", () => {
  const table: readonly (readonly [
    kind: FileNeed["kind"],
    name: string,
    path: string,
    says: string | undefined,
  ])[] = [
    ["program", at("good"), "", undefined],
    ["program", "good", `/no/such:${folder}`, undefined],
    ["program", "plain", folder, `there is no program "plain" in its PATH (${folder})`],
    ["program", at("gone"), "", `${at("gone")} does not exist`],
    ["program", at("dangling"), "", `${at("dangling")} is a link to a file that does not exist`],
    ["program", at("inner"), "", `${at("inner")} is not a file`],
    ["program", at("plain"), "", `${at("plain")} cannot be executed`],
    ["program", at("nowhere"), "", `${at("nowhere")} needs /no/such/interpreter, which does not exist`],
    ["program", at("by-env"), folder, undefined],
    ["program", at("by-env"), "/bin", `${at("by-env")} needs "good", which is not in its PATH (/bin)`],
    ["script", at("plain"), "", undefined],
    ["script", at("main"), "", undefined],
    ["script", at("gone.js"), "", `${at("gone.js")} does not exist`],
    ["folder", at("inner"), "", undefined],
    ["folder", at("plain"), "", `the folder ${at("plain")} is not a folder`],
    ["output", at("inner/new.log"), "", undefined],
    ["output", at("gone/new.log"), "", `the folder of ${at("gone/new.log")} does not exist`],
  ];
  it.each(table)("%s %s (PATH %s): %s", (kind, name, path, says) => {
    expect(lackOf({ kind, name, path })?.says).toBe(says);
  });
});
