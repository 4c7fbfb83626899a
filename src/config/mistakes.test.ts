import { expect, it } from "vitest";
import { mistakesOf } from "./mistakes.ts";

it.each([
  [":3: agents[0].every: expected x: y, not 1", 3, "agents[0].every", "expected x: y, not 1"],
  [":2: channels.my-team.url: expected an address", 2, "channels.my-team.url", "expected an address"],
  ["listen: expected an address", null, "listen", "expected an address"],
  [":1: Nested mappings are not allowed here: x", 1, null, "Nested mappings are not allowed here: x"],
  [
    "it is empty; expected keys such as agents: []",
    null,
    null,
    "it is empty; expected keys such as agents: []",
  ],
])("%s", (problem, line, path, message) => {
  expect(mistakesOf({ file: "f", problems: [problem] })).toEqual([{ file: "f", line, path, message }]);
});
