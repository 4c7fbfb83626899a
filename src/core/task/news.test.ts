import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, MINUTE } from "../duration.ts";
import { news, type ToldTasks } from "./news.ts";
import { madeUpTask, NOON } from "./task.fixture.ts";
import type { Task } from "./task.ts";

const task = (id: string, reward = 100n) => madeUpTask(id, { reward });

/** Looks at list after list, five minutes apart, with a restart between all of them, and says what was told. */
function looks(...lists: (readonly Task[])[]): string[][] {
  let memory: unknown;
  return lists.map((list, index) => {
    const looked = news(memory, list, NOON + index * 5 * MINUTE);
    memory = JSON.parse(JSON.stringify(looked.memory));
    return looked.news.map((found) => `${found.task.id} ${found.reason}`);
  });
}

describe("news of tasks", () => {
  it.each<[string, (readonly Task[])[], string[][]]>([
    ["a task is told once", [[task("1")], [task("1")], [task("1")]], [["1 new"], [], []]],
    ["only what is new is told", [[task("1")], [task("1"), task("2")]], [["1 new"], ["2 new"]]],
    [
      "a better reward is told",
      [[task("1")], [task("1", 101n)], [task("1", 101n)]],
      [["1 new"], ["1 better-reward"], []],
    ],
    ["a lower reward is not", [[task("1")], [task("1", 99n)]], [["1 new"], []]],
    [
      "a reward that comes back to what was told is not",
      [[task("1")], [task("1", 99n)], [task("1")]],
      [["1 new"], [], []],
    ],
    [
      "rewards are compared in all of their bits",
      [[task("1", 2n ** 63n)], [task("1", 2n ** 63n + 1n)]],
      [["1 new"], ["1 better-reward"]],
    ],
    [
      "a task that was gone and is back is told",
      [[task("1")], [], [task("1")], [task("1")]],
      [["1 new"], [], ["1 re-opened"], []],
    ],
    ["an empty list is no news", [[], []], [[], []]],
    [
      "ids that objects have by themselves are ids",
      [
        [task("__proto__"), task("constructor")],
        [task("__proto__"), task("constructor")],
      ],
      [["__proto__ new", "constructor new"], []],
    ],
  ])("%s", (_, lists, told) => {
    expect(looks(...lists)).toEqual(told);
  });

  it("remembers a task that is gone for 30 days, and then tells it as new", () => {
    const { memory } = news(undefined, [task("1")], NOON);
    const almost = news(memory, [], NOON + 30 * DAY - 1);
    expect(Object.keys(almost.memory)).toEqual(["1"]);
    expect(news(almost.memory, [task("1")], NOON + 30 * DAY).news).toMatchObject([{ reason: "re-opened" }]);
    const after = news(almost.memory, [], NOON + 30 * DAY);
    expect(after.memory).toEqual({});
    expect(news(after.memory, [task("1")], NOON + 31 * DAY).news).toMatchObject([{ reason: "new" }]);
  });

  it("never forgets a task that is listed, however long", () => {
    let memory: ToldTasks = news(undefined, [task("1")], NOON).memory;
    for (let day = 1; day < 100; day += 1) {
      const looked = news(memory, [task("1")], NOON + day * DAY);
      expect(looked.news).toEqual([]);
      memory = looked.memory;
    }
  });

  it("remembers no more than the list and the 10,000 that went last, though ids change at every look", () => {
    let memory: unknown;
    for (let look = 0; look < 5; look += 1) {
      const list = Array.from({ length: 5000 }, (_, index) => task(`${look}-${index}`));
      memory = news(memory, list, NOON + look).memory;
    }
    const ids = Object.keys(memory as ToldTasks);
    expect(ids).toHaveLength(15_000);
    expect(ids.some((id) => id.startsWith("0-") || id.startsWith("1-"))).toBe(false);
  });

  it("goes on with a clock that was set back", () => {
    const { memory } = news(undefined, [task("1")], NOON);
    const back = news(memory, [task("1")], NOON - 400 * DAY);
    expect(back.news).toEqual([]);
    expect(news(back.memory, [task("1")], NOON).news).toEqual([]);
  });

  it.each([
    null,
    7,
    "x",
    [],
    [7],
    { 1: null },
    { 1: { reward: "x", seenAt: 1 } },
    { 1: { reward: "1", seenAt: "now" } },
  ])("starts anew from a memory that is none: %j", (memory) => {
    expect(news(memory, [task("1")], NOON).news).toMatchObject([{ reason: "new" }]);
  });

  it("tells nothing twice in a row, whatever was listed before", () => {
    const list = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom("1", "2", "3", "4"),
        reward: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      }),
      { selector: ({ id }) => id },
    );
    fc.assert(
      fc.property(fc.array(list, { minLength: 1 }), (lists) => {
        const tasks = lists.map((each) => each.map(({ id, reward }) => task(id, reward)));
        expect(looks(...tasks, tasks.at(-1) ?? []).at(-1)).toEqual([]);
      }),
    );
  });
});
