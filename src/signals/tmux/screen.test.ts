import { expect, test } from "vitest";
import type { Pane } from "../../system/tmux-pane.ts";
import { screenOf } from "./screen.ts";

test.each([
  ["$", 2, "$ "],
  ["dev@rec:app$ ls", 13, "dev@rec:app$ ls"],
  ["", 3, "   "],
  ["~/项目 ❯", 9, "~/项目 ❯ "],
  ["🚀 app ❯", 9, "🚀 app ❯ "],
])("the row of the cursor %j reaches to column %i, as the terminal has it", (row, x, padded) => {
  const pane = { cursor: { x, y: 1, hidden: false } } as Pane;
  expect(screenOf(pane, `above   \n${row}\n`).rows).toEqual(["above", padded]);
});

test.each([
  ["a visible cursor", "> \n", { x: 2, y: 0, hidden: false }, { x: 2, y: 0 }],
  ["a reversed blank that tmux cut off", "❯ \x1b[7m\n\x1b[0m? for shortcuts\n", undefined, { x: 2, y: 0 }],
  ["a reversed letter of a placeholder", "> \x1b[7mT\x1b[27mype here\n", undefined, { x: 2, y: 0 }],
  ["a cell with a background", "> \x1b[48;5;250m \x1b[49m hello\n", undefined, { x: 2, y: 0 }],
  ["a block", "> ▋\n", undefined, { x: 2, y: 0 }],
  ["nothing: a menu with a whole row reversed", "\x1b[7m❯ 1. Yes\x1b[27m\n  2. No\n", undefined, null],
  ["nothing: a picture", "  ▐▛███▜▌  \n", undefined, null],
])("text goes to %s", (_, capture, cursor, focus) => {
  const pane = { cursor: cursor ?? { x: 0, y: 5, hidden: true } } as Pane;
  expect(screenOf(pane, capture).focus).toEqual(focus);
});
