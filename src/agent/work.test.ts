import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dropWork, finishWork, listWork, startWork, updateWork } from "./work.ts";

const home = () => mkdtempSync(join(tmpdir(), "rollcall-work-"));

describe("work under way", () => {
  it("is listed until it is done, oldest first, and keeps its note", () => {
    const here = home();
    expect(listWork(here)).toEqual([]);
    const first = startWork("allegro", "review 7", here);
    const second = startWork("adagio", "write 8", here);
    updateWork(first.id, "half way", here);
    expect(listWork(here).map(({ id, note }) => [id, note])).toEqual([
      [first.id, "half way"],
      [second.id, undefined],
    ]);
    expect(listWork(here, "adagio")).toHaveLength(1);
    finishWork(first.id, here);
    expect(listWork(here).map(({ id }) => id)).toEqual([second.id]);
    expect(() => finishWork(first.id, here)).toThrow(`expected the id of work under way, not "${first.id}"`);
    writeFileSync(join(here, "work", "rubbish.json"), "{ not");
    expect(listWork(here)).toHaveLength(1);
  });

  it("that has a check is finished only by passing it, and can be dropped", () => {
    const here = home();
    const { id } = startWork("allegro", "fix 9", here, ["npm test"]);
    expect(() => finishWork(id, here)).toThrow(`run: rollcall work done ${id}`);
    expect(listWork(here)).toHaveLength(1);
    dropWork(id, here);
    expect(listWork(here)).toEqual([]);
    expect(() => startWork("allegro", "fix 9", here, [" "])).toThrow('such as "npm test"');
  });
});
