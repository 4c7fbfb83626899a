import { describe, expect, it } from "vitest";
import { TaskSourceError } from "../../ports/task-source.ts";
import { decodeText, readDocument, readLines } from "./read-tasks.ts";

const origin = { name: "tasks.json", strict: true };
const one = '{"id": 1, "creator": "m", "capabilities": 18446744073709551615, "reward": 9007199254740993}';

function said(read: () => unknown): string {
  try {
    read();
    return "fine";
  } catch (error) {
    if (error instanceof TaskSourceError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe("a document with tasks", () => {
  it.each([
    ["a list", `[${one}]`],
    ["an object with a list", `{"tasks": [${one}]}`],
  ])("is %s, and numbers in it are exact", (_, text) => {
    expect(readDocument(text, origin).tasks).toMatchObject([
      { id: "1", capabilities: 18446744073709551615n, reward: 9007199254740993n },
    ]);
  });

  it("may say where the next page is", () => {
    expect(readDocument('{"tasks": [], "next": "?page=2"}', origin).next).toBe("?page=2");
  });

  const form = 'a list of tasks, or an object such as {"tasks": [...]}';
  it.each([
    ["nothing", "", "bad-json: tasks.json: expected JSON, not nothing"],
    [
      "a list that is cut",
      "[1,\n",
      "bad-json: tasks.json: expected JSON, which ends too early at line 2, column 1",
    ],
    [
      "a half",
      '[{"id": 1,\n "crea',
      "bad-json: tasks.json: expected JSON, which goes wrong at line 2, column 2",
    ],
    [
      "a secret that is no JSON",
      "s3cret",
      "bad-json: tasks.json: expected JSON, which goes wrong at line 1, column 1",
    ],
    ["null", "null", `bad-json: tasks.json: expected ${form}`],
    ["an object without tasks", '{"task": []}', `bad-json: tasks.json: expected ${form}`],
    ["an error of a server", '{"tasks": "none"}', `bad-json: tasks.json: expected ${form}`],
    [
      "one id for two",
      `[${one}, ${one}]`,
      'bad-task: tasks.json: [1].id: expected an id that is used once, not that of [0], "1"',
    ],
  ])("is not %s", (_, text, problem) => {
    expect(said(() => readDocument(text, origin))).toBe(problem);
  });

  it("is refused whole if one task is wrong, and says which", () => {
    const text = `{"tasks": [${one}, {"id": 2, "creator": "m", "capabilities": [], "reward": 1.5}]}`;
    expect(said(() => readDocument(text, origin))).toContain(
      "bad-task: tasks.json: tasks[1].reward: expected",
    );
  });
});

describe("JSON Lines", () => {
  it("have a task a line; empty lines mean nothing", () => {
    expect(readLines(`${one}\r\n\n${one.replace("1,", "2,")}\n`, origin).map(({ id }) => id)).toEqual([
      "1",
      "2",
    ]);
    expect(readLines("", origin)).toEqual([]);
  });

  it.each([
    [
      "a half",
      `\n${one}\n{"id": 2, "cre`,
      "bad-json: tasks.json: expected JSON, which goes wrong at line 3, column 11",
    ],
    ["a wrong task", `\n{"id": 2}`, "bad-task: tasks.json: line 2.creator: expected"],
    [
      "one id for two",
      `${one}\n${one}`,
      'bad-task: tasks.json: line 2.id: expected an id that is used once, not that of line 1, "1"',
    ],
  ])("say in which line stands %s", (_, text, problem) => {
    expect(said(() => readLines(text, origin))).toContain(problem);
  });
});

describe("bytes", () => {
  it("are UTF-8, with or without a byte-order mark", () => {
    expect(decodeText(new TextEncoder().encode("\ufeff[]"), origin)).toBe("[]");
    expect(said(() => decodeText(Uint8Array.of(0x5b, 0xff, 0x5d), origin))).toBe(
      "bad-json: tasks.json: expected JSON in UTF-8, not other bytes",
    );
  });
});
