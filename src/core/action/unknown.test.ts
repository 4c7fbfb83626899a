import { expect, it } from "vitest";
import { sayUnknownAction } from "./unknown.ts";

it.each([
  ["task-scn", ["daily-summary", "task-scan"], 'there is no action "task-scn"; did you mean "task-scan"?'],
  [
    "lunch",
    ["daily-summary", "task-scan"],
    'there is no action "lunch"; known actions: daily-summary, task-scan',
  ],
  ["lunch", [], 'there is no action "lunch"; the config declares none'],
])("somebody who asks for %s and could have %j is helped", (name, names, sentence) => {
  expect(sayUnknownAction(name, names)).toBe(sentence);
});
