import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fileLog } from "./log.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "rollcall-log-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

function linesOf(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it("a log that can take nothing more loses its lines and ends nothing", () => {
  const { log, close } = fileLog(join(folder(), "rollcall.log"));
  close();
  for (let n = 0; n < 100; n++) expect(() => log.warn({ n }, "a line")).not.toThrow();
});

it("is put aside when it is large, and of those put aside three are kept", () => {
  const home = folder();
  const file = join(home, "rollcall.log");
  const { log, close } = fileLog(file, 1000);
  for (let n = 0; n < 100; n++) log.info({ n, filler: "x".repeat(100) }, "a line");
  close();
  const names = ["rollcall.log", "rollcall.log.1", "rollcall.log.2", "rollcall.log.3"];
  expect(readdirSync(home).sort()).toEqual(names);
  const kept = names.toReversed().flatMap((name) => linesOf(join(home, name)).map(({ n }) => n));
  // Nothing is lost between two of them, and the newest line is the last.
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 100 - kept.length + index));
  for (const name of names) expect(statSync(join(home, name)).size).toBeLessThan(1300);
});

it("counts what an earlier daemon wrote, and is emptied where it cannot be put aside", () => {
  const home = folder();
  const file = join(home, "rollcall.log");
  mkdirSync(join(`${file}.1`, "in the way"), { recursive: true });
  mkdirSync(join(`${file}.2`, "in the way"), { recursive: true });
  for (let life = 0; life < 20; life++) {
    const { log, close } = fileLog(file, 1000);
    log.info({ life, filler: "x".repeat(100) }, "a line");
    close();
  }
  expect(statSync(file).size).toBeLessThan(1300);
  expect(linesOf(file).at(-1)).toMatchObject({ life: 19 });
});

it("cuts long texts, and leaves only its message of a line with too many of them", () => {
  const file = join(folder(), "rollcall.log");
  const { log, close } = fileLog(file);
  log.warn({ problem: "y".repeat(100_000), agent: "allegro" }, "one long text");
  log.warn({ all: Array.from({ length: 1000 }, () => "z".repeat(1000)) }, "many texts");
  close();
  const [one, many] = linesOf(file);
  expect(one).toMatchObject({
    agent: "allegro",
    msg: "one long text",
    problem: expect.stringMatching(/^y{1000}… \(100000 characters\)$/),
  });
  expect(many).toEqual({
    level: 40,
    time: expect.any(String),
    cut: expect.stringMatching(/^\d+ characters$/),
    msg: "many texts",
  });
  expect(statSync(file).size).toBeLessThan(3000);
});
