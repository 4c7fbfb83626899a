import { expect, test } from "vitest";
import type { Pane } from "../../system/tmux-pane.ts";
import { rowsOf, screenOf } from "./screen.ts";

test.each([
  ["$", 2, "$ "],
  ["dev@rec:app$ ls", 13, "dev@rec:app$ ls"],
  ["", 3, "   "],
  ["~/项目 ❯", 9, "~/项目 ❯ "],
  ["🚀 app ❯", 9, "🚀 app ❯ "],
])("the row of the cursor %j reaches to column %i, as the terminal has it", (row, x, padded) => {
  const pane = { cursor: { x, y: 1, hidden: false } } as Pane;
  expect(screenOf(pane, rowsOf(`above   \n${row}\n`)).rows).toEqual(["above", padded]);
});
