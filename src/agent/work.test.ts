import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workSignal } from "../daemon/intake/work-signal.ts";
import { finishWork, listWork, startWork, updateWork } from "./work.ts";

const home = () => mkdtempSync(join(tmpdir(), "rollcall-work-"));
const look = (fresh = false) => ({ now: Date.now(), abort: new AbortController().signal, fresh });

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

  it("is a fact when it begins, goes on and ends, and nothing is said of an agent that never had any", async () => {
    const here = home();
    const signal = workSignal("allegro", here);
    expect(await signal.look(look(true))).toEqual([]);
    const { id, startedAt } = startWork("allegro", "review 7", here);
    expect(await signal.look(look())).toMatchObject([
      { kind: "work", open: true, at: Date.parse(startedAt) },
      { kind: "activity", signal: "work" },
    ]);
    expect(await signal.look(look())).toEqual([]);
    expect(await signal.look(look(true))).toHaveLength(2);
    finishWork(id, here);
    expect(await signal.look(look())).toMatchObject([{ kind: "work", open: false }]);
    expect(await signal.look(look())).toEqual([]);
  });
});
