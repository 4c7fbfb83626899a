import { describe, expect, it } from "vitest";
import { PingRuns } from "./runs.ts";

const cycles = (runs: PingRuns) => runs.of("db").map(({ cycle }) => cycle);

describe("runs that pings begin and end", () => {
  it("several at once are told apart by their id, each a cycle of its own", () => {
    const runs = new PingRuns([]);
    expect(runs.begin("db", "a", 4, 10).run?.cycle).toBe(5);
    expect(runs.begin("db", "b", 4, 20).run?.cycle).toBe(6);
    expect(runs.begin("db", undefined, 4, 30).run?.cycle).toBe(7);
    expect(runs.mark("db", 40)).toMatchObject({ at: 40, openSince: 10 });
    expect(runs.end("db", "a", "ok", 50).run).toMatchObject({
      cycle: 5,
      beganAt: 10,
      endedAt: 50,
      outcome: "ok",
    });
    expect(cycles(runs)).toEqual([6, 7]);
    expect(runs.mark("db", 60)).toMatchObject({ openSince: 20 });
  });

  it("an end without its start changes nothing", () => {
    const runs = new PingRuns([]);
    runs.begin("db", "a", 0, 10);
    expect(runs.end("db", "x", "ok", 20)).toMatchObject({ records: [] });
    expect(runs.end("db", undefined, "ok", 20)).toMatchObject({ records: [] });
    expect(cycles(runs)).toEqual([1]);
  });

  it("a second start of the same id gives the first one up", () => {
    const runs = new PingRuns([]);
    runs.begin("db", undefined, 0, 10);
    const { records } = runs.begin("db", undefined, 0, 20);
    expect(records.map(({ id, current }) => [id, current])).toEqual([
      ["db/2", true],
      ["db/1", false],
    ]);
    expect(cycles(runs)).toEqual([2]);
  });

  it("what could not be kept is taken back, and what others did meanwhile stays", () => {
    const runs = new PingRuns([]);
    runs.begin("db", "a", 0, 10);
    const ended = runs.end("db", "a", "ok", 20);
    const begun = runs.begin("db", "b", 0, 20);
    runs.begin("db", "c", 0, 20);
    ended.undo();
    begun.undo();
    expect(runs.of("db").map(({ rid }) => rid)).toEqual(["a", "c"]);
  });

  it("no agent holds more than 64: the oldest is given up", () => {
    const runs = new PingRuns([]);
    for (let i = 0; i < 70; i++) runs.begin("db", `r${i}`, 0, i);
    expect(runs.of("db")).toHaveLength(64);
    expect(runs.mark("db", 99)).toMatchObject({ openSince: 6 });
  });
});
