import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { Touched } from "./touched.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall-touched-"));
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

test("a touch that cannot be recorded is tried again each second, is logged once, and is recorded once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const asked: string[] = [];
  const warned: string[] = [];
  let isOpen = false;
  const touched = new Touched({
    folder,
    accept: async (beats) => {
      asked.push(...beats.map(({ agent }) => agent));
      if (!isOpen) throw new Error("not now");
    },
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
