import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { NOON } from "../../core/task/task.fixture.ts";
import { taskSourceContract } from "../../ports/task-source.contract.ts";
import { listedTasks } from "../kit/listed.ts";
import { temporaryFolder, written } from "../kit/tasks.fixture.ts";
import { fileTasks } from "./index.ts";

const forms = {
  "tasks.json": (tasks: readonly string[]) => `[${tasks.join(",")}]`,
  "wrapped.json": (tasks: readonly string[]) => `{"tasks": [${tasks.join(",")}]}`,
  "tasks.jsonl": (tasks: readonly string[]) => tasks.map((task) => `${task}\n`).join(""),
};

for (const [name, form] of Object.entries(forms)) {
  taskSourceContract(`a file ${name}`, () => {
    const { folder, remove } = temporaryFolder();
    const path = join(folder, name);
    return {
      open: (me) => listedTasks(fileTasks(path), { me, now: () => NOON }),
      put: (tasks) => writeFileSync(path, form(tasks.map(written))),
      ruin: () => writeFileSync(path, "{"),
      cleanUp: remove,
    };
  });
}

describe("a file of tasks", () => {
  function place(name = "tasks.json"): string {
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    return join(folder, name);
  }
  const list = (path: string) => fileTasks(path).list(new AbortController().signal);

  it("that does not exist is no source, which is not the same as no tasks", async () => {
    const path = place();
    await expect(list(path)).rejects.toMatchObject({
      code: "no-source",
      message: `${path}: there is no such file; expected a list of tasks there`,
    });
    await expect(list(join(path, "further"))).rejects.toMatchObject({ code: "no-source" });
    writeFileSync(path, "[]");
    expect(await list(path)).toEqual([]);
    await expect(list(join(path, "further"))).rejects.toMatchObject({ code: "no-source" });
    rmSync(path);
    await expect(list(path)).rejects.toMatchObject({ code: "no-source" });
  });

  it.each<[string, string, (path: string) => void, string]>([
    ["is a folder", "unreadable", (path) => mkdirSync(path), "expected a file with tasks"],
    [
      "is a link in a circle",
      "unreadable",
      (path) => symlinkSync(path, path),
      "expected a file that this user may read (ELOOP)",
    ],
    ["was cut to nothing", "bad-json", (path) => writeFileSync(path, ""), "expected JSON, not nothing"],
    ["is too large", "too-large", tooLarge, "expected at most 20 MB"],
    [
      "holds an unknown key",
      "bad-task",
      (path) => writeFileSync(path, '[{"rewrad": 1}]'),
      '[0].rewrad: unknown key; did you mean "reward"?',
    ],
  ])("that %s is an error that names it", async (_, code, make, problem) => {
    const path = place();
    make(path);
    await expect(list(path)).rejects.toMatchObject({ code, message: `${path}: ${problem}` });
  });
});

function tooLarge(path: string): void {
  writeFileSync(path, "");
  truncateSync(path, 20 * 1024 * 1024 + 1);
}
