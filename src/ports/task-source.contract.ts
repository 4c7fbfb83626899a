import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atMinute, madeUpTask, NOON } from "../core/task/task.fixture.ts";
import type { Task } from "../core/task/task.ts";
import { type TaskSource, TaskSourceError } from "./task-source.ts";

/** A source whose tasks the test decides. It is noon there. */
export interface TaskSourceUnderTest {
  readonly open: (me: string | undefined) => TaskSource;
  /** From now on it lists exactly these. */
  readonly put: (tasks: readonly Task[]) => void;
  /** From now on it cannot be read. */
  readonly ruin: () => void;
  readonly cleanUp?: () => Promise<void> | void;
}

const WIDE = 2n ** 64n - 1n;
const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);
const patience = () => new AbortController().signal;

/** What every source of tasks must do. */
export function taskSourceContract(
  name: string,
  setUp: () => TaskSourceUnderTest | Promise<TaskSourceUnderTest>,
): void {
  describe(`${name} keeps the contract of task sources`, () => {
    let under: TaskSourceUnderTest;
    beforeEach(async () => {
      under = await setUp();
    });
    afterEach(() => under.cleanUp?.());

    const all = (source: TaskSource, abort = patience()) => [
      source.claimable(abort),
      source.mine(abort),
      source.completedSince(0, abort),
      source.disputes(abort),
    ];

    it("gives tasks as they are, all 64 bits of them, absent fields absent", async () => {
      const tasks = [
        madeUpTask("18446744073709551615", { capabilities: WIDE, reward: WIDE - 1n, token: "USDC" }),
        madeUpTask("2", { capabilities: 2n ** 53n + 1n, reward: 2n ** 53n + 1n, maxWorkers: 3, workers: 2 }),
        madeUpTask("__proto__", {
          deadline: atMinute(1),
          description: "two\nlines \"'\\ 🫀 12345678901234567890",
        }),
      ];
      under.put(tasks);
      expect(await under.open("me").claimable(patience())).toStrictEqual(tasks);
    });

    it("lists as claimable what is open, has places and time left, and is not ours already", async () => {
      under.put([
        madeUpTask("open"),
        madeUpTask("full", { workers: 1 }),
        madeUpTask("late", { deadline: atMinute(0) }),
        madeUpTask("claimed", { status: "claimed" }),
        madeUpTask("ours", { maxWorkers: 2, claimedBy: ["me"] }),
        madeUpTask("shared", { maxWorkers: 2, claimedBy: ["you"] }),
      ]);
      expect(ids(await under.open("me").claimable(patience()))).toEqual(["open", "shared"]);
    });

    it("lists as ours what we claimed, and of that what was completed since and what is disputed", async () => {
      const ours = { claimedBy: ["me"] };
      under.put([
        madeUpTask("open"),
        madeUpTask("claimed", { status: "claimed", ...ours }),
        madeUpTask("before", { status: "completed", completedAt: atMinute(-1), ...ours }),
        madeUpTask("since", { status: "completed", completedAt: atMinute(0), ...ours }),
        madeUpTask("disputed", { status: "disputed", ...ours }),
        madeUpTask("theirs", { status: "completed", completedAt: atMinute(0), claimedBy: ["you"] }),
        madeUpTask("their-dispute", { status: "disputed", claimedBy: ["you"] }),
      ]);
      const source = under.open("me");
      expect(ids(await source.mine(patience()))).toEqual(["claimed", "before", "since", "disputed"]);
      expect(ids(await source.completedSince(NOON + 999, patience()))).toEqual(["since"]);
      expect(ids(await source.completedSince(NOON - 60_000, patience()))).toEqual(["before", "since"]);
      expect(ids(await source.disputes(patience()))).toEqual(["disputed"]);
    });

    it("lists as ours what anybody took, if nobody says who we are", async () => {
      under.put([madeUpTask("open"), madeUpTask("taken", { status: "claimed", claimedBy: ["you"] })]);
      expect(ids(await under.open(undefined).mine(patience()))).toEqual(["taken"]);
    });

    it("gives an empty list if there are no tasks", async () => {
      under.put([]);
      expect(await Promise.all(all(under.open("me")))).toEqual([[], [], [], []]);
    });

    it("sees at the next look what changed", async () => {
      const source = under.open("me");
      under.put([madeUpTask("1")]);
      expect(ids(await source.claimable(patience()))).toEqual(["1"]);
      under.put([madeUpTask("1", { reward: 200n }), madeUpTask("2")]);
      expect((await source.claimable(patience())).map(({ reward }) => reward)).toEqual([200n, 100n]);
    });

    it("fails when it cannot be read, which is never a list without tasks, and recovers", async () => {
      const source = under.open("me");
      under.put([madeUpTask("1")]);
      expect(await source.claimable(patience())).toHaveLength(1);
      under.ruin();
      for (const looked of await Promise.allSettled(all(source))) {
        expect(looked).toMatchObject({ status: "rejected", reason: expect.any(TaskSourceError) });
      }
      under.put([madeUpTask("1")]);
      expect(await source.claimable(patience())).toHaveLength(1);
    });

    it("says of a completed task of ours without a date that it cannot be counted", async () => {
      under.put([madeUpTask("1", { status: "completed", claimedBy: ["me"] })]);
      const source = under.open("me");
      await expect(source.completedSince(0, patience())).rejects.toMatchObject({
        name: "TaskSourceError",
        code: "bad-task",
        message: expect.stringContaining("completedAt"),
      });
      expect(await source.claimable(patience())).toEqual([]);
      expect(await under.open("you").completedSince(0, patience())).toEqual([]);
    });

    it("stops when it is told to", async () => {
      under.put([madeUpTask("1")]);
      for (const looked of await Promise.allSettled(all(under.open("me"), AbortSignal.abort()))) {
        expect(looked).toMatchObject({ status: "rejected", reason: { code: "aborted" } });
      }
    });

    it("answers many who ask at once", async () => {
      const tasks = Array.from({ length: 10 }, (_, index) => madeUpTask(String(index)));
      under.put(tasks);
      const source = under.open("me");
      const answers = await Promise.all(tasks.map(() => source.claimable(patience())));
      for (const answer of answers) expect(answer).toStrictEqual(tasks);
    });
  });
}
