import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, SECOND } from "../duration.ts";
import { summarise } from "./summary.ts";
import { atMinute, madeUpTask, NOON } from "./task.fixture.ts";
import type { Task } from "./task.ts";

const done = (minutes: number, more: Partial<Task> = {}) =>
  madeUpTask(`at ${minutes}`, { status: "completed", completedAt: atMinute(minutes), ...more });

describe("the daily summary", () => {
  it.each<[string, readonly Task[], string]>([
    ["a day without work", [], "Daily summary: 0 tasks completed, 0 earned"],
    ["one task", [done(-1)], "Daily summary: 1 tasks completed, 100 earned"],
    [
      "more than a number holds",
      [done(-1, { reward: 2n ** 64n - 1n }), done(-2, { reward: 1n })],
      "Daily summary: 2 tasks completed, 18446744073709551616 earned",
    ],
    [
      "several tokens",
      [done(-1, { token: "USDC" }), done(-2, { token: "SOL" }), done(-3), done(-4, { token: "SOL" })],
      "Daily summary: 4 tasks completed, 100 and 200 SOL and 100 USDC earned",
    ],
    [
      "work for nothing",
      [done(-1, { reward: 0n, token: "SOL" })],
      "Daily summary: 1 tasks completed, 0 earned",
    ],
    [
      "what is older than the last summary",
      [done(-24 * 60 - 1), done(-24 * 60)],
      "Daily summary: 1 tasks completed, 100 earned",
    ],
    [
      "what is not completed",
      [madeUpTask("1"), done(-1, { status: "disputed" })],
      "Daily summary: 0 tasks completed, 0 earned",
    ],
  ])("says %s", (_, tasks, message) => {
    expect(summarise(tasks, NOON - DAY, NOON).message).toBe(message);
  });

  it("gives the earnings by token for machines", () => {
    expect(summarise([done(-1), done(-2, { token: "SOL" })], NOON - DAY, NOON)).toMatchObject({
      completions: 2,
      earnings: [{ amount: 100n }, { token: "SOL", amount: 100n }],
    });
  });

  it("leaves the present second to the next one, and a clock that was set back counts nothing twice", () => {
    const first = summarise([done(0)], NOON - DAY, NOON + 999);
    expect(first).toMatchObject({ completions: 0, until: NOON });
    expect(summarise([done(0)], first.until, NOON + DAY)).toMatchObject({
      completions: 1,
      until: NOON + DAY,
    });
    expect(summarise([done(0)], NOON + DAY, NOON - DAY)).toMatchObject({ completions: 0, until: NOON + DAY });
  });

  it("counts every completion once, however often and whenever it is asked", () => {
    const times = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(times, fc.array(fc.integer({ min: 0, max: 99 })), (asked, seconds) => {
        const tasks = seconds.map((second) => done(0, { completedAt: NOON / SECOND + second }));
        let since = NOON;
        let counted = 0;
        for (const at of [...asked.sort((a, b) => a - b), 101_000]) {
          const summary = summarise(tasks, since, NOON + at);
          counted += summary.completions;
          since = summary.until;
        }
        expect(counted).toBe(tasks.length);
      }),
    );
  });
});
