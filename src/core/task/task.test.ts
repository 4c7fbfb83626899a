import { describe, expect, it } from "vitest";
import { atMinute, madeUpTask, NOON } from "./task.fixture.ts";
import { claimable, mine, TASK_STATUSES, type Task } from "./task.ts";

describe("a task", () => {
  it.each<[string, Partial<Task>, boolean]>([
    ["is claimable while it is open and has places", {}, true],
    ["is claimable by a second worker if two may work on it", { maxWorkers: 2, workers: 1 }, true],
    ["is not claimable once all places are taken", { workers: 1 }, false],
    ["is claimable before its deadline", { deadline: atMinute(1) }, true],
    ["is not claimable at its deadline", { deadline: atMinute(0) }, false],
    ["is not claimable after its deadline", { deadline: atMinute(-1) }, false],
  ])("%s", (_, more, expected) => {
    expect(claimable(madeUpTask("1", more), NOON)).toBe(expected);
  });

  it("is claimable in no other status", () => {
    const statuses = TASK_STATUSES.filter((status) => claimable(madeUpTask("1", { status }), NOON));
    expect(statuses).toEqual(["open"]);
  });

  it.each<[string, Partial<Task>, string | undefined, boolean]>([
    ["is mine if I claimed it", { claimedBy: ["me", "you"] }, "me", true],
    ["is not mine if another claimed it", { claimedBy: ["you"], status: "completed" }, "me", false],
    ["is ours if anybody took it and nobody says who we are", { workers: 1 }, undefined, true],
    ["is ours once it was completed", { status: "completed" }, undefined, true],
    ["is nobody's while it is open", {}, undefined, false],
    ["is nobody's if it expired before anybody took it", { status: "expired" }, undefined, false],
  ])("%s", (_, more, me, expected) => {
    expect(mine(madeUpTask("1", more), me)).toBe(expected);
  });
});
