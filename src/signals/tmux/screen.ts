import type { Screen } from "../../core/screen/screen.ts";
import type { Pane } from "./pane.ts";

/** The screen of a pane from what `capture-pane -p` gave. The state codes of the byte stream are not to be had here. */
export function screenOf(pane: Pane, rows: readonly string[]): Screen {
  return {
    rows: rows.map((row) => row.trimEnd()),
    cursor: { ...pane.cursor },
    title: pane.title,
    code: "",
    progress: false,
    alternate: pane.alternate,
    paste: pane.paste,
  };
}

/** The rows of a capture: each ends with a line break. */
export function rowsOf(capture: string): readonly string[] {
  return capture.replace(/\n$/, "").split("\n");
}
