import { expect, test } from "vitest";
import { tmuxSettings } from "./settings.ts";

test.each([
  { value: {}, says: "either session or target" },
  { value: { session: "a", target: "a:0.0" }, says: "either session or target" },
  { value: { target: "a" }, says: "a tmux pane such as work:0.1" },
  { value: { session: "" }, says: "the name of a tmux session" },
  { value: { session: "a", socket: "/tmp/x" }, says: "as for tmux -L" },
  { value: { session: "a", socket: "x", socketPath: "/tmp/x" }, says: "not both" },
])("$value is refused, with what would be right", ({ value, says }) => {
  const { error } = tmuxSettings.safeParse(value);
  expect(error?.issues.map(({ message }) => message).join()).toContain(says);
});

test.each([{ session: "a b" }, { target: "work:editor" }, { target: "%3", socket: "x" }])(
  "%j is accepted",
  (value) => {
    expect(tmuxSettings.parse(value)).toEqual(value);
  },
);
