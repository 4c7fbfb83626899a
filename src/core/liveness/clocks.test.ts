import { describe, expect, it } from "vitest";
import { DEFAULT_RULE, type Rule } from "../agent.ts";
import { HOUR, MINUTE } from "../duration.ts";
import {
  blind,
  broken,
  gone,
  heard,
  type Line,
  m,
  madeUp,
  present,
  reads,
  standing,
  tried,
  unwatched,
  wrapped,
} from "./case.fixture.ts";
import { judge } from "./judge.ts";

function table(lines: readonly Line[]): void {
  it.each(lines)("$name", (line) => {
    const { found, expected } = tried(line);
    expect(found).toBe(expected);
  });
}

describe("stamps from the future, and clocks that are set", () => {
  table([
    {
      name: "a stamp up to a minute ahead is believed",
      now: 0,
      facts: [heard(1)],
      is: ["alive", "beat"],
      at: 0,
    },
    {
      name: "a stamp further ahead is not",
      now: 0,
      facts: [heard(1.001)],
      is: ["unknown", "future-stamp"],
      at: 0,
    },
    {
      name: "… though we were down long ago",
      now: 0,
      facts: [heard(9)],
      more: unwatched(blind(-900, -800)),
      is: ["unknown", "future-stamp"],
    },
    {
      name: "an end after which it was seen again is no end, although only the end is believed",
      now: 0,
      facts: [gone(0.2, 0.5), present(2)],
      is: ["new", "registered"],
    },
    {
      name: "a fresh stamp beside it decides",
      now: 0,
      facts: [heard(9), wrapped(-1)],
      is: ["alive", "wrapper-beat"],
    },
    {
      name: "an overdue stamp beside it does not",
      now: 0,
      facts: [heard(9), wrapped(-30)],
      is: ["unknown", "future-stamp"],
    },
    {
      name: "a screen from the future is not believed",
      now: 0,
      facts: [reads("waiting", 5, 9)],
      is: ["new", "registered"],
    },
    {
      name: "a death from the future is not believed",
      now: 0,
      facts: [heard(-1), gone(5, 9)],
      is: ["alive", "beat"],
    },
    {
      name: "with nothing else known we cannot tell",
      now: 0,
      facts: [reads("working", -1, 0, 9)],
      unpromised: true,
      is: ["unknown", "not-watched"],
    },
    {
      name: "a failure from the future is not believed",
      now: 0,
      facts: [broken(9, "tmux"), reads("waiting", -2, -1)],
      is: ["waiting", "question"],
    },
  ]);

  it("counts one whole dead-after from when it was noticed, then it is a death", () => {
    const observations = [heard(600)];
    let previous = standing(madeUp(0, { observations }));
    const states = [10, 19.9, 20, 21, 599.5].map((minute) => {
      const verdict = judge(madeUp(minute, { observations, previous }));
      previous = { verdict, since: verdict.at };
      return verdict.state;
    });
    expect(states).toEqual(["unknown", "unknown", "dead", "dead", "dead"]);
    expect(previous.verdict.reason).toBe("no-beat");
  });

  it("gives a new chance with each stamp from the future", () => {
    const previous = standing(madeUp(0, { observations: [heard(600)] }));
    const verdict = judge(madeUp(30, { observations: [heard(630)], previous }));
    expect([verdict.state, verdict.at]).toEqual(["unknown", m(30)]);
  });

  it("does not wake the dead when the clock is set back", () => {
    const dead = standing(madeUp(25, { observations: [heard(0)] }));
    for (const minute of [19, 16, 10, 0, -500]) {
      const verdict = judge(
        madeUp(minute, {
          observations: [heard(0)],
          previous: dead,
          ...unwatched(blind(minute, minute, "step")),
        }),
      );
      expect(verdict.state).toBe("dead");
      expect(verdict.at).toBeLessThanOrEqual(m(minute));
    }
  });

  it("does not wake who was late, on no detour over unknown", () => {
    const observations = [heard(0)];
    let previous = standing(madeUp(16, { observations }));
    const states = [10, -30, -0.5, 14, 15, 20].map((minute) => {
      const verdict = judge(madeUp(minute, { observations, previous }));
      previous = { verdict, since: verdict.at };
      return verdict.state;
    });
    expect(states).toEqual(["late", "unknown", "unknown", "unknown", "late", "dead"]);
  });

  it("is alive again with the first beat by the clock that was set back", () => {
    const previous = standing(madeUp(25, { observations: [heard(0)] }));
    const verdict = judge(madeUp(-60, { observations: [heard(-60)], previous }));
    expect(verdict.state).toBe("alive");
  });

  it("is dead by a clock set forward only after a whole dead-after", () => {
    const trust = { blind: [blind(5, 300, "step")] };
    const observations = [heard(0)];
    expect(judge(madeUp(300, { observations, trust })).state).toBe("unknown");
    expect(judge(madeUp(320, { observations, trust })).state).toBe("dead");
  });

  it.each([
    ["spring", "2025-03-30T00:50Z", "2025-03-30T01:05Z", "2025-03-30T01:10Z"],
    ["autumn", "2025-10-26T00:50Z", "2025-10-26T01:05Z", "2025-10-26T01:10Z"],
  ])("does not notice when Berlin changes its clocks in %s, by a pace", (_, stamp, late, dead) => {
    const [at, lateAt, deadAt] = [stamp, late, dead].map((text) => Date.parse(text));
    const observations = [heard(0, { at: at ?? 0, firstAt: at ?? 0 })];
    const states = [(lateAt ?? 0) - 1, lateAt ?? 0, deadAt ?? 0].map(
      (now) => judge(madeUp(0, { now, observations, rule: DEFAULT_RULE })).state,
    );
    expect(states).toEqual(["alive", "late", "dead"]);
  });

  it.each([
    ["spring, in the hour that is left out", "2025-03-29T12:00Z", "2025-03-30T01:00Z"],
    ["autumn, in the first of the two hours", "2025-10-25T12:00Z", "2025-10-26T00:30Z"],
  ])("expects a nightly agent once in %s", (_, stamp, due) => {
    const rule: Rule = { schedule: "30 2 * * *", timezone: "Europe/Berlin", grace: HOUR };
    const at = Date.parse(stamp);
    const judged = (now: number, heardAt: number) =>
      judge(madeUp(0, { now, rule, observations: [heard(0, { at: heardAt, firstAt: heardAt })] })).state;
    const date = Date.parse(due);
    expect([date - 1, date, date + HOUR].map((now) => judged(now, at))).toEqual(["alive", "late", "dead"]);
    expect(judged(date + 20 * HOUR, date + MINUTE)).toBe("alive");
  });
});
