import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../signals/kit/signals.fixture.ts";
import { openLocalPaths } from "./local-paths.ts";

const ROOT = "/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\n";

function world(more = "") {
  const folder = temporaryFolder();
  const table = join(folder, "mounts");
  const mount = (lines: string) => writeFileSync(table, ROOT + lines);
  mount(more);
  const paths = openLocalPaths(table);
  paths.version(0);
  const log = join(folder, "a b", "session.log");
  return { folder, log, mount, paths };
}

describe("a path", () => {
  it("on a disk is local, and one that leads elsewhere by a symbolic link is not taken for local", async () => {
    const { folder, paths } = world();
    writeFileSync(join(folder, "log"), "");
    symlinkSync(join(folder, "log"), join(folder, "link"));
    expect(await paths.isLocal(join(folder, "log"))).toBe(true);
    expect(await paths.isLocal(join(folder, "link"))).toBe(false);
    expect(await paths.isLocal(join(folder, "none"))).toBe(false);
  });

  it.each([
    { name: "on a network disk", line: "server:/x %s nfs4 rw 0 0\n" },
    { name: "on a file system that is not known", line: "x %s newfs rw 0 0\n" },
    { name: "below a place where anything may be mounted", line: "systemd-1 %s autofs rw 0 0\n" },
  ])("$name is not local, nor is a disk on the way to it", async ({ line }) => {
    const { folder, mount, paths } = world();
    writeFileSync(join(folder, "log"), "");
    mount(`${line.replace("%s", folder)}/dev/sdb1 ${folder}/log ext4 rw 0 0\n`);
    paths.version(5000);
    expect(await paths.isLocal(join(folder, "log"))).toBe(false);
  });

  it("with a space in it is found in the table", async () => {
    const { log, mount, paths } = world();
    mount(`server:/x ${log.replaceAll(" ", "\\040")} nfs rw 0 0\n`);
    paths.version(5000);
    expect(await paths.isLocal(log)).toBe(false);
  });

  it("is local nowhere where mounts cannot be seen", async () => {
    const paths = openLocalPaths(join(temporaryFolder(), "none"));
    expect(paths.version(0)).toBeUndefined();
    expect(await paths.isLocal("/etc/passwd")).toBe(false);
  });
});

it("the version changes with what may hang, and not with disks", () => {
  const { mount, paths } = world();
  const before = paths.version(0);
  mount("/dev/sdb1 /data xfs rw 0 0\n");
  expect(paths.version(2000)).toBe(before);
  mount("server:/x /far nfs rw 0 0\n");
  expect(paths.version(2500)).toBe(before);
  expect(paths.version(4000)).not.toBe(before);
});
