import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TickFile } from "../../core/tick/tick.ts";
import { findTick, lastTickBefore, writeTick } from "./tick-file.ts";

function folder(): { root: string; ticks: string } {
  const root = mkdtempSync(join(tmpdir(), "rollcall-ticks-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "ticks/2026-04"), { recursive: true });
  writeFileSync(join(root, "outside.json"), '{"status":"healthy"}');
  return { root, ticks: join(root, "ticks") };
}

const tick = (more: Partial<TickFile> = {}): TickFile => ({
  ...{ agent: "allegro", month: "2026-04", status: "offline", capabilities: {} },
  ...{ submitted_at: "2026-04-01T06:00:00.000Z", submitted_by: "a test" },
  ...more,
});

describe("finding a tick", () => {
  it.each<[string, (at: { root: string; ticks: string; file: string }) => void, string]>([
    ["not JSON", ({ file }) => writeFileSync(file, "{"), "is not JSON"],
    ["empty", ({ file }) => writeFileSync(file, ""), "is not JSON"],
    [
      "a link out of the folder",
      ({ root, file }) => symlinkSync(join(root, "outside.json"), file),
      "is a link",
    ],
    [
      "a link that leads nowhere",
      ({ file }) => symlinkSync("/nowhere/at/all", file),
      "is a link that leads nowhere",
    ],
    ["a link to itself", ({ file }) => symlinkSync(file, file), "is a link that leads nowhere"],
    ["a folder", ({ file }) => mkdirSync(file), "is not a file"],
    ["a pipe that nobody writes", ({ file }) => execFileSync("mkfifo", [file]), "is not a file"],
    ["a giant", ({ file }) => writeFileSync(file, " ".repeat(2_000_000)), "is longer than 1048576 bytes"],
  ])("%s is not read", (_, make, why) => {
    const { root, ticks } = folder();
    make({ root, ticks, file: join(ticks, "2026-04/allegro.json") });
    const { found } = findTick(ticks, "2026-04", "allegro");
    expect(found).toEqual({ unreadable: expect.stringContaining(`2026-04/allegro.json ${why}`) });
  });

  it("does not go through a month that is a link out of the folder", () => {
    const { root, ticks } = folder();
    mkdirSync(join(root, "elsewhere"));
    writeFileSync(join(root, "elsewhere/allegro.json"), '{"status":"healthy"}');
    symlinkSync(join(root, "elsewhere"), join(ticks, "2026-05"));
    expect(findTick(ticks, "2026-05", "allegro").found).toEqual({
      unreadable: expect.stringContaining("is a link"),
    });
  });

  it("follows a link to the whole folder, which somebody chose", () => {
    const { root, ticks } = folder();
    writeTick(ticks, tick());
    symlinkSync(ticks, join(root, "chosen"));
    expect(findTick(join(root, "chosen"), "2026-04", "allegro").found).toMatchObject({
      value: { status: "offline" },
    });
  });

  it("absent is absent, with and without its month", () => {
    const { ticks } = folder();
    expect(findTick(ticks, "2026-04", "allegro").found).toBe("absent");
    expect(findTick(ticks, "2031-01", "allegro").found).toBe("absent");
  });
});

describe("writing a tick", () => {
  it("replaces the one before and keeps it, each of them", () => {
    const { ticks } = folder();
    expect(writeTick(ticks, tick({ submitted_by: "first" })).earlier).toBeUndefined();
    for (const name of ["second", "third", "fourth"]) writeTick(ticks, tick({ submitted_by: name }));
    const by = (path: string) => (JSON.parse(readFileSync(path, "utf8")) as TickFile).submitted_by;
    expect(by(join(ticks, "2026-04/allegro.json"))).toBe("fourth");
    const history = join(ticks, "2026-04/history");
    expect(
      readdirSync(history)
        .map((name) => by(join(history, name)))
        .sort(),
    ).toEqual(["first", "second", "third"]);
    expect(readdirSync(join(ticks, "2026-04")).sort()).toEqual(["allegro.json", "history"]);
  });

  it("replaces a link instead of writing through it", () => {
    const { root, ticks } = folder();
    symlinkSync(join(root, "outside.json"), join(ticks, "2026-04/allegro.json"));
    writeTick(ticks, tick());
    expect(readFileSync(join(root, "outside.json"), "utf8")).toBe('{"status":"healthy"}');
    expect(findTick(ticks, "2026-04", "allegro").found).toMatchObject({ value: { status: "offline" } });
  });

  it("does not write into a month that is a link, nor where it may not", () => {
    const { root, ticks } = folder();
    symlinkSync(root, join(ticks, "2026-05"));
    expect(() => writeTick(ticks, tick({ month: "2026-05" }))).toThrow("is a link to another place");
    expect(() => writeTick(join(root, "outside.json"), tick())).toThrow(/cannot write .*ENOTDIR/);
    expect(readdirSync(root).sort()).toEqual(["outside.json", "ticks"]);
  });

  it("the last one before a month is found among all that stands there", () => {
    const { ticks } = folder();
    for (const month of ["2025-12", "2026-02", "2026-04"]) writeTick(ticks, tick({ month }));
    mkdirSync(join(ticks, "zzz"));
    writeFileSync(join(ticks, "2026-03"), "a file that is called like a month");
    expect(lastTickBefore(ticks, "2026-04", "allegro")).toBe("2026-02");
    expect(lastTickBefore(ticks, "2025-12", "allegro")).toBeUndefined();
  });
});
