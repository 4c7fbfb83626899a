import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { latestBeat, writeBeat } from "./write-beat.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-beat-"));
afterAll(() => rmSync(root, { recursive: true }));
const newHome = () => mkdtempSync(join(root, "home-"));

test("both files hold the same beat, for the owner alone, and nothing else is left", () => {
  const home = newHome();
  const beat = writeBeat({ agent: "allegro", cycle: 7, action: "sync inbox" }, home);
  const spool = join(home, "spool", `${beat.id}.json`);
  const latest = join(home, "beats", "allegro.json");
  expect(JSON.parse(readFileSync(spool, "utf8"))).toEqual(beat);
  expect(readFileSync(latest, "utf8")).toBe(readFileSync(spool, "utf8"));
  for (const path of [spool, latest]) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, "spool"))).toEqual([`${beat.id}.json`]);
  expect(readdirSync(join(home, "beats"))).toEqual(["allegro.json"]);
});

test.each([
  ["a beat that is a little later stays", 30_000, "later"],
  ["a beat from before is replaced", -1000, "mine"],
  ["a stamp too far ahead is a wrong clock's and is replaced", 3_600_000, "mine"],
])("%s", (_, ahead, winner) => {
  const home = newHome();
  mkdirSync(join(home, "beats"));
  const sentAt = new Date(Date.now() + ahead).toISOString();
  writeFileSync(join(home, "beats", "allegro.json"), JSON.stringify({ id: "f", action: "later", sentAt }));
  writeBeat({ agent: "allegro", action: "mine" }, home);
  expect(latestBeat("allegro", home)?.action).toBe(winner);
  expect(readdirSync(join(home, "spool"))).toHaveLength(1);
});

test.each(["", "{", "null", "[]", '{"sentAt":5}', "\xff"])(
  "a latest beat that reads %j is replaced",
  (broken) => {
    const home = newHome();
    mkdirSync(join(home, "beats"));
    writeFileSync(join(home, "beats", "allegro.json"), broken, "latin1");
    const { id } = writeBeat({ agent: "allegro" }, home);
    expect(latestBeat("allegro", home)?.id).toBe(id);
  },
);

test("a folder in the place of the latest beat is an error, and the spool keeps the beat", () => {
  const home = newHome();
  mkdirSync(join(home, "beats", "allegro.json"), { recursive: true });
  expect(() => writeBeat({ agent: "allegro" }, home)).toThrow(
    expect.objectContaining({
      code: "unwritable",
      message: expect.stringContaining("a folder stands where"),
    }),
  );
  expect(readdirSync(join(home, "spool"))).toHaveLength(1);
  expect(readdirSync(join(home, "beats"))).toEqual(["allegro.json"]);
});
