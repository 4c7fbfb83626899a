import { describe, expect, it } from "vitest";
import { DAY, HOUR } from "../duration.ts";
import { alerts } from "./alerts.ts";
import { atMinute, madeUpTask, NOON } from "./task.fixture.ts";
import type { Task } from "./task.ts";

const due = (minutes: number, more: Partial<Task> = {}) =>
  madeUpTask("7", { status: "claimed", deadline: atMinute(minutes), ...more });
const none = { mine: [], disputes: [] };

function messages(mine: readonly Task[], disputes: readonly Task[] = [], threshold?: number): string[] {
  return alerts(undefined, { mine, disputes }, NOON, threshold).alerts.map(({ message }) => message);
}

describe("alerts", () => {
  it.each<[string, Task, string[]]>([
    ["two hours left", due(120), ["Alert: Task #7 deadline in 2 hours"]],
    ["a minute over two hours left", due(121), []],
    ["an hour and a minute, rounded up", due(61), ["Alert: Task #7 deadline in 2 hours"]],
    ["an hour", due(60), ["Alert: Task #7 deadline in 1 hour"]],
    ["a minute", due(1), ["Alert: Task #7 deadline in 1 hour"]],
    ["none", due(0), ["Alert: Task #7 deadline passed"]],
    ["a day too late", due(-24 * 60), ["Alert: Task #7 deadline passed"]],
    ["no deadline", madeUpTask("7", { status: "claimed" }), []],
    [
      "an open task with places left that we work on",
      due(60, { status: "open" }),
      ["Alert: Task #7 deadline in 1 hour"],
    ],
    ["a task that is done", due(60, { status: "completed" }), []],
    ["a task that was cancelled", due(-60, { status: "cancelled" }), []],
    ["a task that expired just now", due(-60, { status: "expired" }), ["Alert: Task #7 deadline passed"]],
    ["a task that expired long ago", due(-8 * 24 * 60, { status: "expired" }), []],
  ])("tell of a deadline: %s", (_, task, told) => {
    expect(messages([task])).toEqual(told);
  });

  it("tell of a dispute, and of its deadline no more", () => {
    const disputed = due(60, { status: "disputed" });
    expect(messages([disputed], [disputed])).toEqual(["Alert: Task #7 is disputed"]);
  });

  it("begin as early as they are told to", () => {
    expect(messages([due(5 * 60)], [], 5 * HOUR)).toEqual(["Alert: Task #7 deadline in 5 hours"]);
    expect(messages([due(31)], [], HOUR / 2)).toEqual([]);
  });

  it("are told once, and again when it gets worse, across restarts", () => {
    let memory: unknown;
    const told = [-30, 0, 30, 59, 60, 90, 119, 120, 180, 5 * 24 * 60].map((minutes) => {
      const looked = alerts(memory, { ...none, mine: [due(120)] }, NOON + minutes * 60_000);
      memory = JSON.parse(JSON.stringify(looked.memory));
      return looked.alerts.map(({ message }) => message.replace("Alert: Task #7 deadline ", ""));
    });
    expect(told).toEqual([[], ["in 2 hours"], [], [], ["in 1 hour"], [], [], ["passed"], [], []]);
  });

  it("are not told again when a clock is set back, or a deadline is put off by a little", () => {
    const first = alerts(undefined, { ...none, mine: [due(60)] }, NOON);
    const back = alerts(first.memory, { ...none, mine: [due(60)] }, NOON - HOUR);
    expect(back.alerts).toEqual([]);
    expect(alerts(back.memory, { ...none, mine: [due(60)] }, NOON).alerts).toEqual([]);
  });

  it("are told anew when a deadline was put off beyond the threshold and comes near again", () => {
    const first = alerts(undefined, { ...none, mine: [due(60)] }, NOON);
    const off = alerts(first.memory, { ...none, mine: [due(600)] }, NOON);
    expect(off).toEqual({ alerts: [], memory: {} });
    expect(alerts(off.memory, { ...none, mine: [due(600)] }, NOON + 9 * HOUR).alerts).toHaveLength(1);
  });

  it("tell of a dispute once while it lasts, and of the next one", () => {
    const disputed = { mine: [], disputes: [due(60, { id: "__proto__", status: "disputed" })] };
    const first = alerts(undefined, disputed, NOON);
    expect(first.alerts).toEqual([
      { task: "__proto__", kind: "dispute", message: "Alert: Task #__proto__ is disputed" },
    ]);
    const second = alerts(JSON.parse(JSON.stringify(first.memory)), disputed, NOON + DAY);
    expect(second.alerts).toEqual([]);
    const settled = alerts(second.memory, none, NOON + 2 * DAY);
    expect(settled.memory).toEqual({});
    expect(alerts(settled.memory, disputed, NOON + 3 * DAY).alerts).toHaveLength(1);
  });

  it.each([null, 7, "x", [7], { 7: null }, { 7: { hours: "1", disputed: "yes" } }, { 7: { hours: -1 } }])(
    "start anew from a memory that is none: %j",
    (memory) => {
      expect(alerts(memory, { mine: [due(60)], disputes: [due(60)] }, NOON).alerts).toHaveLength(2);
    },
  );
});
