import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Beat } from "../beat.ts";
import type { Gone } from "../liveness/observation.ts";
import { type Cycle, cycleAfter, endedBy } from "./cycle.ts";

function beat(at: number, more: Partial<Beat> = {}): Beat {
  return {
    id: `${at}`,
    agent: "allegro",
    source: "agent",
    status: "ok",
    cycle: 7,
    sentAt: at,
    receivedAt: at,
    ...more,
  };
}

function told(...beats: readonly Beat[]): Cycle | undefined {
  return beats.reduce<Cycle | undefined>((known, next) => cycleAfter(known, next), undefined);
}

describe("cycleAfter", () => {
  it("knows of no cycle where the beat names none", () => {
    const { cycle: _, ...unnumbered } = beat(1);
    expect(cycleAfter(undefined, unnumbered)).toBeUndefined();
  });

  it("begins a cycle with the first beat that names it", () => {
    expect(told(beat(1, { action: "sync inbox" }))).toEqual({
      agent: "allegro",
      number: 7,
      beganAt: 1,
      lastAt: 1,
      lastAction: "sync inbox",
    });
  });

  it("moves the last action, and keeps it where a beat names none", () => {
    expect(told(beat(1, { action: "one" }), beat(2, { action: "two" }), beat(3))).toMatchObject({
      beganAt: 1,
      lastAt: 3,
      lastAction: "two",
    });
  });

  it("does not move back for a late beat, except its begin", () => {
    expect(told(beat(5, { action: "new" }), beat(2, { action: "old" }))).toMatchObject({
      beganAt: 2,
      lastAt: 5,
      lastAction: "new",
    });
  });

  it("takes what the agent does from its first beat, although a wrapper tells of the begin a moment later", () => {
    const begun = beat(3, { cycleEvent: "begun" });
    expect(told(begun, beat(2, { action: "sync" }))).toMatchObject({ beganAt: 2, lastAction: "sync" });
  });

  it.each(["ok", "error"] as const)("ends with what its last beat says: %s", (status) => {
    expect(told(beat(1), beat(4, { cycleEvent: "ended", status }))).toMatchObject({
      endedAt: 4,
      outcome: status,
    });
  });

  it("ends once: a repeated end changes nothing", () => {
    const end = beat(4, { cycleEvent: "ended" });
    const once = told(beat(1), end);
    expect(told(beat(1), end, end, beat(9, { cycleEvent: "ended", status: "error" }))).toMatchObject({
      endedAt: once?.endedAt,
      outcome: "ok",
    });
  });

  it("stays ended when its begin arrives late", () => {
    expect(
      told(beat(4, { cycleEvent: "ended" }), beat(1, { cycleEvent: "begun", action: "start" })),
    ).toMatchObject({ beganAt: 1, endedAt: 4, outcome: "ok" });
  });

  it("begins anew when an agent that forgot its count begins the number again", () => {
    const again = told(
      beat(1, { action: "old" }),
      beat(4, { cycleEvent: "ended" }),
      beat(9, { cycleEvent: "begun" }),
    );
    expect(again).toEqual({ agent: "allegro", number: 7, beganAt: 9, lastAt: 9 });
  });

  it("takes the incarnation from the first beat that knows it", () => {
    const incarnation = { pid: 1, startTime: "2", bootId: "b" };
    const other = { ...incarnation, pid: 3 };
    expect(told(beat(1), beat(2, { incarnation }), beat(3, { incarnation: other }))).toMatchObject({
      incarnation,
    });
  });

  it("has the same begin, last sign and action in whatever order the beats of an open cycle arrive", () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 8 });
    const shuffled = times.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const saying = (at: number) => beat(at, { action: `at ${at}` });
        expect(told(...other.map(saying))).toEqual(told(...list.map(saying)));
      }),
    );
  });
});

describe("endedBy", () => {
  const life = { pid: 7, startTime: "100", bootId: "b" };
  const gone: Gone = { kind: "gone", signal: "process", at: 9, seenAt: 12, clean: false, incarnation: life };
  const open: Cycle = { agent: "allegro", number: 7, beganAt: 1, lastAt: 3, incarnation: life };

  it("ends a cycle whose process is gone", () => {
    expect(endedBy(open, gone)).toEqual({ ...open, endedAt: 9, outcome: "crashed" });
    expect(endedBy(open, { ...gone, at: 2 }).endedAt).toBe(3);
  });

  it("leaves one that ended itself, one of another process, and one that nobody saw end", () => {
    const ended: Cycle = { ...open, endedAt: 5, outcome: "ok" };
    expect(endedBy(ended, gone)).toBe(ended);
    expect(endedBy({ ...open, incarnation: { ...life, pid: 8 } }, gone).outcome).toBeUndefined();
    expect(endedBy(open, undefined)).toBe(open);
  });
});
