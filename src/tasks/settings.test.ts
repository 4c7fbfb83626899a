import { describe, expect, it } from "vitest";
import { taskSourceSettings } from "./settings.ts";

describe("the settings of a task source", () => {
  it("need nothing", () => {
    expect(taskSourceSettings.parse({})).toEqual({});
    expect(taskSourceSettings.parse({ file: {} })).toEqual({ file: { path: "tasks.json" } });
  });

  it.each<[string, unknown, string]>([
    ["a text", "tasks.json", ": a mapping with file, http or forge"],
    ["two sources", { file: {}, http: { url: "https://x/" } }, "http: one of file, http and forge"],
    ["no label", { forge: {} }, "forge.label: a label of the repository, such as bounty"],
    ["two labels", { forge: { label: "a,b" } }, "forge.label: a label of the repository, such as bounty"],
    [
      "no path",
      { file: { path: "" } },
      "file.path: a path such as ~/tasks.json or tasks.jsonl (in Rollcall's home)",
    ],
    ["a file that is none", { file: "x" }, "file: a mapping of keys to values"],
  ])("say what would be right instead of %s", (_, settings, problem) => {
    const issues = taskSourceSettings.safeParse(settings).error?.issues ?? [];
    expect(issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([problem]);
  });
});
