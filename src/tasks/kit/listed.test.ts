import { expect, test } from "vitest";
import { atMinute, madeUpTask, NOON } from "../../core/task/task.fixture.ts";
import type { Task } from "../../core/task/task.ts";
import { taskSourceContract } from "../../ports/task-source.contract.ts";
import { TaskSourceError } from "../../ports/task-source.ts";
import { listedTasks } from "./listed.ts";

taskSourceContract("a list in memory", () => {
  let tasks: readonly Task[] | undefined;
  const list = async (abort: AbortSignal) => {
    if (abort.aborted) throw new TaskSourceError("aborted", "stopped");
    if (tasks === undefined) throw new TaskSourceError("unreadable", "ruined");
    return tasks;
  };
  return {
    open: (me) => listedTasks({ name: "list", list }, { me, now: () => NOON }),
    put(next) {
      tasks = next;
    },
    ruin() {
      tasks = undefined;
    },
  };
});

test("what is claimable is decided when the list is there, not when it was asked for", async () => {
  let now = NOON;
  const list = async () => {
    now += 60_000;
    return [madeUpTask("1", { deadline: atMinute(1) }), madeUpTask("2", { deadline: atMinute(2) })];
  };
  const source = listedTasks({ name: "list", list }, { me: undefined, now: () => now });
  const claimable = await source.claimable(new AbortController().signal);
  expect(claimable.map(({ id }) => id)).toEqual(["2"]);
});
