import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CAPABILITIES } from "../core/task/capabilities.ts";
import { TASK_STATUSES } from "../core/task/task.ts";
import { readTask } from "../core/task/task-input.ts";
import { TASK_SOURCE_PROBLEMS } from "../ports/task-source.ts";
import { readDocument, readLines } from "./kit/read-tasks.ts";
import { taskSourceSettings } from "./settings.ts";

const page = readFileSync(new URL("../../docs/tasks.md", import.meta.url), "utf8");
const origin = { name: "docs/tasks.md", strict: true };

function examples(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text]) => text ?? "",
  );
}

/** The first cells of the table whose head begins so, without their backticks. */
function firstCells(head: string): string[] {
  const rows =
    page
      .slice(page.indexOf(`\n| ${head} |`) + 1)
      .split("\n\n")[0]
      ?.split("\n") ?? [];
  return rows.slice(2).map((row) => row.split("|")[1]?.trim().replaceAll("`", "") ?? "");
}

describe("docs/tasks.md", () => {
  it("has an example of a file that is read as it says", () => {
    const [json = ""] = examples("json");
    expect(readDocument(json, origin).tasks).toMatchObject([
      {
        id: "42",
        capabilities: 3n,
        reward: 250000000n,
        token: "USDC",
        workers: 1,
        maxWorkers: 3,
        status: "open",
      },
      {
        id: "43",
        capabilities: 1n,
        reward: 18446744073709551615n,
        deadline: 0,
        maxWorkers: 1,
        claimedBy: [],
      },
      { id: "44", capabilities: 3n, claimedBy: ["allegro"], status: "completed", completedAt: 1798700000 },
    ]);
    const [lines = ""] = examples("jsonl");
    expect(readLines(lines, origin).map(({ id }) => id)).toEqual(["42", "43"]);
  });

  it("has settings that are right", () => {
    const settings = examples("yaml").map((text) => taskSourceSettings.parse(parse(text)));
    expect(settings).toMatchObject([
      { file: { path: "~/tasks.json" } },
      { http: { tokenEnv: "TASKS_TOKEN" } },
      { forge: { label: "bounty" } },
    ]);
  });

  it("lists every key, status, capability and code, and no other", () => {
    const read = readTask({ x: 1 }, { path: "", strict: true });
    const keys = "problem" in read ? read.problem.expected.replace("one of the keys ", "").split(", ") : [];
    expect(firstCells("key")).toEqual(keys);
    expect(firstCells("status")).toEqual([...TASK_STATUSES]);
    expect(firstCells("code")).toEqual([...TASK_SOURCE_PROBLEMS]);
    const table = [...page.matchAll(/^\| (\d+) \| `([A-Z]+)` \|$/gm)].map(([, bit, name]) => [
      Number(bit),
      name,
    ]);
    expect(table).toEqual(CAPABILITIES.map((name, bit) => [bit, name]));
  });
});
