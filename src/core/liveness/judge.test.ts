import { describe, expect, it } from "vitest";
import {
  active,
  blind,
  broken,
  ended,
  gone,
  heard,
  type Line,
  life,
  m,
  madeUp,
  reads,
  standing,
  tried,
  work,
  wrapped,
} from "./case.fixture.ts";
import { judge } from "./judge.ts";
import type { Observation } from "./observation.ts";

function table(lines: readonly Line[]): void {
  it.each(lines)("$name", (line) => {
    const { found, expected } = tried(line);
    expect(found).toBe(expected);
  });
}

describe("a signal that cannot be read", () => {
  table([
    {
      name: "says nothing: the next best decides",
      now: 9,
      facts: [heard(8), reads("waiting", 3, 5), broken(6, "tmux")],
      is: ["alive", "beat"],
    },
    {
      name: "says nothing even where it is all we have",
      now: 9,
      facts: [reads("waiting", 3, 5), broken(6, "tmux")],
      unpromised: true,
      is: ["unknown", "not-watched"],
    },
    {
      name: "counts again once it could be read",
      now: 9,
      facts: [heard(8), reads("waiting", 3, 7), broken(6, "tmux")],
      is: ["waiting", "question"],
    },
    {
      name: "does not break the others",
      now: 9,
      facts: [heard(8), reads("waiting", 3, 5), broken(6, "log")],
      is: ["waiting", "question"],
    },
    {
      name: "leaves beats that were heard",
      now: 9,
      facts: [heard(5), broken(6, "beat")],
      is: ["alive", "beat"],
    },
    {
      name: "leaves who is late late",
      now: 16,
      facts: [heard(0), broken(6, "beat")],
      is: ["late", "overdue"],
    },
    {
      name: "but makes their silence prove nothing",
      now: 90,
      facts: [heard(5), broken(6, "beat")],
      is: ["unknown", "not-watched"],
      at: 6,
    },
    {
      name: "… nor that nothing was ever heard",
      now: 90,
      facts: [broken(6, "beat")],
      is: ["unknown", "not-watched"],
    },
    {
      name: "… until a beat is heard again",
      now: 90,
      facts: [heard(8), broken(6, "beat")],
      is: ["dead", "no-beat"],
    },
  ]);

  it("does not wake who was dead", () => {
    const dead = madeUp(6, { observations: [gone(4, 5)] });
    const observations = [...dead.observations, broken(7, "process")];
    const verdict = judge({ ...dead, observations, now: m(8), previous: standing(dead) });
    expect(verdict.state).toBe("dead");
  });
});

describe("a new fact ends what was held", () => {
  it.each<[string, number, Observation[], Observation[], string]>([
    [
      "new content on the same screen",
      20,
      [reads("working", 0, 16, 0)],
      [reads("working", 0, 20, 19)],
      "alive",
    ],
    [
      "a beat of the next life that arrived just before the look at the last one",
      9,
      [gone(5, 8, { incarnation: life(1) })],
      [gone(5, 8, { incarnation: life(1) }), heard(7.9, { incarnation: life(2) })],
      "alive",
    ],
    ["a spooled beat", 30, [heard(0)], [heard(11)], "late"],
    ["a death that turns out to have been clean", 9, [gone(5, 6)], [gone(5, 8, { clean: true })], "resting"],
  ])("%s", (_, now, before, after, state) => {
    const previous = standing(madeUp(now, { observations: before }));
    expect(["dead", "stalled"]).toContain(previous.verdict.state);
    expect(judge(madeUp(now, { observations: before, previous })).state).toBe(previous.verdict.state);
    expect(judge(madeUp(now, { observations: after, previous })).state).toBe(state);
  });
});

describe("the sentence", () => {
  it.each<[number, Observation[], string]>([
    [23, [heard(0)], "no beat for 23 min; expected every 15 min, 5 min of grace"],
    [16, [heard(0)], "no beat for 16 min; expected every 15 min, 5 min of grace"],
    [5, [heard(0)], "beat 5 min ago; expected every 15 min, 5 min of grace"],
    [5, [wrapped(0)], "its wrapper saw it running 5 min ago"],
    [5, [], "registered 5 min ago, no beat yet; expected every 15 min, 5 min of grace"],
    [25, [], "no beat since it was registered 25 min ago; expected every 15 min, 5 min of grace"],
    [6, [heard(5), ended(5)], "cycle 7 ended cleanly 1 min ago"],
    [
      21,
      [heard(5), ended(5)],
      "did not wake: cycle 7 ended 16 min ago; expected every 15 min, 5 min of grace",
    ],
    [6, [gone(4, 5, { exit: "signal 9" })], "its process ended unexpectedly (signal 9); last seen 2 min ago"],
    [9, [heard(8), gone(4, 5)], "beats continue although its process is gone"],
    [9, [reads("waiting", 3, 9, 3, { detail: "permission" })], "waits for a human: it asks for permission"],
    [9, [reads("limited", 3, 9, 3, { resetAt: m(60) })], "at a usage limit, resets at 2025-01-15T13:00:00Z"],
    [9, [heard(8, { status: "error", message: "disk full" })], "its last beat reports an error: disk full"],
    [
      30,
      [heard(8, { status: "error", message: "disk full" })],
      "no beat for 22 min; expected every 15 min, 5 min of grace; its last beat reports an error: disk full",
    ],
    [16, [heard(0), active(14, 16)], "working (made progress 2 min ago), but no beat for 16 min"],
    [20, [reads("spinning", 1, 20, 0)], "the screen moves, but no progress for 20 min; limit 15 min (prior)"],
    [20, [reads("idle", 3, 20), work(1, true)], "idle for 17 min, but work is in progress"],
    [0, [heard(9)], "its last timestamp is 9 min in the future and is ignored; check the clocks"],
  ])("at minute %d: %#", (now, observations, why) => {
    expect(judge(madeUp(now, { observations })).why).toBe(why);
  });

  it("says when it watched again, also of an agent that was overdue only later", () => {
    const trust = { blind: [blind(8, 14)] };
    const { state, why } = judge(madeUp(30, { observations: [heard(0)], trust }));
    expect(state).toBe("unknown");
    expect(why).toContain("Rollcall was not watching until 16 min ago; it has until");
  });

  it("says until when an agent that was not watched has its chance", () => {
    const trust = { blind: [blind(10, 60)] };
    expect(judge(madeUp(61, { observations: [heard(0)], trust })).why).toBe(
      "overdue, but Rollcall was not watching until 1 min ago; it has until 2025-01-15T13:20:00Z to beat (expected every 15 min, 5 min of grace)",
    );
  });
});
