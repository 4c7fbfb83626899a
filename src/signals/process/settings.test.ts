import { expect, test } from "vitest";
import { processSettings } from "./settings.ts";

test.each([
  { name: "nothing", value: {}, says: "exactly one of pid, pidFile, match and journal" },
  { name: "two ways", value: { pid: 1, match: "a" }, says: "exactly one of pid, pidFile, match and journal" },
  { name: "a pid that is none", value: { pid: -1 }, says: "a process id" },
  { name: "a journal that is none", value: { journal: false }, says: "true, or the path of a journal" },
  { name: "a pattern that is none", value: { match: "(" }, says: "a regular expression" },
])("settings with $name are refused, with what would be right", ({ value, says }) => {
  const { error } = processSettings.safeParse(value);
  expect(error?.issues.map(({ message }) => message).join()).toContain(says);
});

test.each([
  { pid: 1 },
  { pidFile: "a.pid" },
  { match: "node .*agent" },
  { journal: "cycles/a.json" },
  { journal: true },
])("%j is accepted", (value) => {
  expect(processSettings.parse(value)).toEqual(value);
});
