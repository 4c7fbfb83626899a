import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Beat } from "../../core/beat.ts";
import { HOUR } from "../../core/duration.ts";
import { uuidv7 } from "../../system/uuid.ts";
import { Spool } from "./spool.ts";

const log = { info() {}, warn() {}, error() {} };
const folder = mkdtempSync(join(tmpdir(), "rollcall-spool-"));
const file = join(folder, "one.json");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BEAT = '{"agent":"allegro","message":"all of it"}';

test("a beat that is refused holds up no other, lies aside nowhere, and its reason is known for an hour", async () => {
  const taken: string[] = [];
  let ahead = 0;
  const spool = new Spool({
    folder,
    accept: async (beats) => {
      if (beats.some(({ agent }) => agent === "bot@web1")) throw new Error("it runs on host web1");
      taken.push(...beats.map(({ agent }) => agent));
    },
    isFinal: () => true,
    now: () => ahead,
    newId: uuidv7,
    log,
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, '{"agent":"bot@web1"}');
  writeFileSync(join(folder, "two.json"), BEAT);
  await spool.take();
  expect(taken).toEqual(["allegro"]);
  expect(readdirSync(folder)).toEqual([]);
  expect([spool.bad(), spool.refused()]).toEqual([0, { at: 0, why: "it runs on host web1" }]);
  ahead = HOUR;
  expect(spool.refused()).toBeUndefined();
});

test("a file of which the end is missing is left until it comes, and set aside if it does not", async () => {
  mkdirSync(folder, { recursive: true });
  const taken: Beat[] = [];
  let ahead = 0;
  const spool = new Spool({
    folder,
    accept: async (beats) => void taken.push(...beats),
    isFinal: () => false,
    now: () => Date.now() + ahead,
    newId: uuidv7,
    log,
  });
  // Each of these is a moment at which the reader may come by.
  for (let length = 0; length < BEAT.length; length++) {
    writeFileSync(file, BEAT.slice(0, length));
    await spool.take();
    expect(readdirSync(folder)).toEqual(["one.json"]);
  }
  appendFileSync(file, BEAT.slice(-1));
  await spool.take();
  expect(taken).toMatchObject([{ agent: "allegro", message: "all of it" }]);
  expect(readdirSync(folder)).toEqual([]);

  writeFileSync(file, BEAT.slice(0, 9));
  ahead = 60_000;
  await spool.take();
  expect(readdirSync(folder)).toEqual(["bad"]);
  expect(readdirSync(join(folder, "bad"))).toEqual(["one.json"]);
  expect(taken).toHaveLength(1);
});
