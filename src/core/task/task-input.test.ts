import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sayProblem } from "../beat-input.ts";
import { readTask } from "./task-input.ts";

const least = { id: "7", creator: "maker", capabilities: 3, reward: "100" };

function said(value: unknown, strict = true): string {
  const read = readTask(value, { path: "tasks[0]", strict });
  return "problem" in read ? sayProblem(read.problem) : "fine";
}

describe("a task from outside", () => {
  it("needs an id, a creator, capabilities and a reward; null means nothing", () => {
    const nothing = {
      token: null,
      deadline: null,
      worker: null,
      claimedBy: null,
      status: null,
      description: null,
    };
    expect(readTask({ ...least, ...nothing }, { path: "", strict: true })).toEqual({
      task: {
        ...{ id: "7", creator: "maker", capabilities: 3n, reward: 100n, description: "", deadline: 0 },
        ...{ maxWorkers: 1, workers: 0, claimedBy: [], status: "open" },
      },
    });
  });

  it("keeps everything that it says, 64 bits exactly", () => {
    const value = {
      ...{ id: 7, creator: "maker", capabilities: "0xffffffffffffffff", reward: "18446744073709551615" },
      ...{ token: "USDC", description: "do\nit", deadline: "1767225600", maxWorkers: 3, currentWorkers: 2 },
      ...{
        worker: "allegro",
        claimedBy: ["allegro", "adagio"],
        status: "completed",
        completedAt: 1767225599,
      },
    };
    expect(readTask(value, { path: "", strict: true })).toEqual({
      task: {
        ...{ id: "7", creator: "maker", capabilities: 2n ** 64n - 1n, reward: 2n ** 64n - 1n, token: "USDC" },
        ...{ description: "do\nit", deadline: 1767225600, maxWorkers: 3, workers: 2, status: "completed" },
        ...{ claimedBy: ["allegro", "adagio"], completedAt: 1767225599 },
      },
    });
  });

  it("counts those who claimed it where it does not say how many work on it", () => {
    expect(readTask({ ...least, claimedBy: ["a", "b"] }, { path: "", strict: true })).toMatchObject({
      task: { workers: 2 },
    });
  });

  it("has a description that is cut where it is too long, never within a character", () => {
    const read = readTask({ ...least, description: "🫀".repeat(6000) }, { path: "", strict: true });
    const description = "task" in read ? read.task.description : "";
    expect(description.length).toBeLessThanOrEqual(10_000);
    expect(description.isWellFormed()).toBe(true);
    expect(description.endsWith("🫀…")).toBe(true);
  });

  const name = "1 to 128 characters without blanks";
  const wide = 'a whole number from 0 to 2^64-1, as text ("18446744073709551615") beyond 2^53';
  it.each<[string, object | string, string]>([
    [
      "no task",
      "x",
      'tasks[0]: expected a task: an object with an id, a creator, capabilities and a reward, not "x"',
    ],
    ["no id", { id: undefined }, `tasks[0].id: expected an id of ${name}, or a whole number, not nothing`],
    ["a negative id", { id: -1 }, `tasks[0].id: expected an id of ${name}, or a whole number, not -1`],
    [
      "an id with a blank",
      { id: "a b" },
      `tasks[0].id: expected an id of ${name}, or a whole number, not "a b"`,
    ],
    [
      "an id that turns the writing",
      { id: "a\u202eb" },
      `tasks[0].id: expected an id of ${name}, or a whole number, not "a\u202eb"`,
    ],
    ["no creator", { creator: "" }, `tasks[0].creator: expected who offers it, in ${name}, not ""`],
    [
      "an unknown capability",
      { capabilities: ["COMPUT"] },
      'tasks[0].capabilities[0]: expected "COMPUTE", not "COMPUT"',
    ],
    ["a rounded reward", { reward: 2 ** 60 }, `tasks[0].reward: expected ${wide}, not 1152921504606847000`],
    ["a reward with a fraction", { reward: 1.5 }, `tasks[0].reward: expected ${wide}, not 1.5`],
    ["a negative reward", { reward: "-1" }, `tasks[0].reward: expected ${wide}, not "-1"`],
    ["no reward", { reward: null }, `tasks[0].reward: expected ${wide}, not null`],
    ["a token that is none", { token: 5 }, `tasks[0].token: expected ${name}, not 5`],
    [
      "a deadline in milliseconds",
      { deadline: 1767225600000 },
      "tasks[0].deadline: expected Unix seconds such as 1767225600, or 0 for none, not 1767225600000",
    ],
    ["no places", { maxWorkers: 0 }, "tasks[0].maxWorkers: expected a whole number from 1 to 1000000, not 0"],
    [
      "half a worker",
      { currentWorkers: 0.5 },
      "tasks[0].currentWorkers: expected a whole number from 0 to 1000000, not 0.5",
    ],
    [
      "a list that is none",
      { claimedBy: "a" },
      'tasks[0].claimedBy: expected a list of agent ids such as ["allegro"], not "a"',
    ],
    [
      "an agent that is none",
      { claimedBy: ["a", 5] },
      `tasks[0].claimedBy[1]: expected an agent id of ${name}, not 5`,
    ],
    [
      "an unknown status",
      { status: "Open" },
      'tasks[0].status: expected one of open, claimed, completed, disputed, cancelled, expired, not "Open"',
    ],
    [
      "a description that is no text",
      { description: [] },
      'tasks[0].description: expected text, not "(a list)"',
    ],
    ["a key that is misspelt", { dedline: 5 }, 'tasks[0].dedline: unknown key; did you mean "deadline"?'],
  ])("says what would be right instead of %s", (_, wrong, problem) => {
    expect(said(typeof wrong === "string" ? wrong : { ...least, ...wrong })).toBe(problem);
  });

  it("may hold more than we know where a server says it", () => {
    expect(said({ ...least, dedline: 5, colour: "red" }, false)).toBe("fine");
    expect(said({ ...least, colour: "red" })).toContain(
      "tasks[0].colour: expected one of the keys id, creator,",
    );
  });

  it("never throws, and what is wrong can always be said", () => {
    const almost = fc.record(
      Object.fromEntries(
        ["id", "creator", "capabilities", "reward", "deadline", "claimedBy", "status", "completedAt"].map(
          (key) => [key, fc.oneof(fc.jsonValue(), fc.constantFrom("open", 1, "1", []))],
        ),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), almost), fc.boolean(), (value, strict) => {
        expect(said(value, strict)).not.toBe("");
      }),
    );
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(said({ ...least, reward: deep })).toContain("tasks[0].reward: expected");
  });
});
