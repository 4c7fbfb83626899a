import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Touched } from "./touched.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-touched-"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

test("a touch that cannot be recorded is tried again each second, is logged once, and is recorded once", async () => {
  const asked: string[] = [];
  const warned: string[] = [];
  let isOpen = false;
  const touched = new Touched({
    folder,
    accept: async (beats) => {
      asked.push(...beats.map(({ agent }) => agent));
      if (!isOpen) throw new Error("not now");
    },
    isFinal: () => false,
    now: Date.now,
    log: { info() {}, warn: (_, message) => void warned.push(message), error() {} },
  });
  writeFileSync(join(folder, "allegro"), "");
  await touched.start();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual(["allegro", "allegro", "allegro"]);
  isOpen = true;
  await vi.advanceTimersByTimeAsync(70_000);
  expect(asked).toHaveLength(4);
  expect(warned).toEqual(["beats: a touched file could not be recorded"]);
  touched.stop();
});

test("a touch that can never be recorded holds up no other, and is not tried again", async () => {
  const taken: string[] = [];
  const warned: unknown[] = [];
  const touched = new Touched({
    folder,
    accept: async (beats) => {
      if (beats.some(({ agent }) => agent === "nobody")) throw new Error("not on the roll");
      taken.push(...beats.map(({ agent }) => agent));
    },
    isFinal: () => true,
    now: Date.now,
    log: { info() {}, warn: (fields) => void warned.push(fields), error() {} },
  });
  for (const name of ["allegro", "nobody", "presto"]) writeFileSync(join(folder, name), "");
  await touched.start();
  await vi.advanceTimersByTimeAsync(70_000);
  touched.stop();
  expect(taken.sort()).toEqual(["allegro", "presto"]);
  expect(warned).toEqual([{ agent: "nobody", problem: "not on the roll" }]);
});

test("a file whose name can be no agent's is reported once", async () => {
  const warned: object[] = [];
  const touched = new Touched({
    folder,
    accept: async () => {},
    isFinal: () => false,
    now: Date.now,
    log: { info() {}, warn: (about) => void warned.push(about), error() {} },
  });
  for (const name of ["bad name", "allegro", "allegro.json", ".hidden"])
    writeFileSync(join(folder, name), "");
  await touched.start();
  await vi.advanceTimersByTimeAsync(70_000);
  expect(warned).toMatchObject([{ name: "bad name" }]);
  touched.stop();
});
