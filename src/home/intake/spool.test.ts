import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Beat } from "../../core/beat.ts";
import { uuidv7 } from "../../system/uuid.ts";
import { Spool } from "./spool.ts";

const log = { info() {}, warn() {}, error() {} };
const folder = mkdtempSync(join(tmpdir(), "rollcall-spool-"));
const file = join(folder, "one.json");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BEAT = '{"agent":"allegro","message":"all of it"}';

test("a file of which the end is missing is left until it comes, and set aside if it does not", async () => {
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
