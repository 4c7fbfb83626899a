import { drawnFocus } from "../../core/screen/focus.ts";
import type { Screen } from "../../core/screen/screen.ts";
import { cellsOf } from "../../system/capture.ts";
import type { Pane } from "../../system/tmux-pane.ts";

/** The screen of a pane from what `capture-pane -ep` gave. The state codes of the byte stream are not to be had here. */
export function screenOf(pane: Pane, capture: string): Screen {
  const cells = cellsOf(capture);
  const rows = cells.map((row) => row.map(({ text }) => text).join(""));
  const { x, y, hidden } = pane.cursor;
  return {
    focus: hidden ? drawnFocus(cells.map((row) => row.map((cell, at) => ({ ...cell, x: at })))) : { x, y },
    rows: rows.map((row, y) => (y === pane.cursor.y ? toCursor(row, pane.cursor.x) : row.trimEnd())),
    cursor: { ...pane.cursor },
    title: pane.title,
    code: "",
    progress: false,
    alternate: pane.alternate,
    paste: pane.paste,
  };
}

/** tmux leaves out the blanks at the end of a row. Those before the cursor tell a prompt from a line of text. */
function toCursor(row: string, x: number): string {
  const text = row.trimEnd();
  return text + " ".repeat(Math.max(0, x - columnsOf(text)));
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const JOINED = /[\p{M}\p{Cf}]/u;

/** How many columns a text takes: some characters take two, and marks on others none. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += JOINED.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}
