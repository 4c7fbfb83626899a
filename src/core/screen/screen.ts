import type { Focus } from "./focus.ts";
import type { Machine } from "./machine.ts";

/** A terminal screen as a person would see it, and the few things that only the byte stream tells. */
export type Screen = {
  /** One string per row, as seen, without trailing blanks. */
  rows: readonly string[];
  /** Where the next character would go; `x` counts columns and `y` rows, both from nought. */
  cursor: { x: number; y: number; hidden: boolean };
  /** Where text would go: the cursor, or one that the program draws itself. Null: nowhere. Undefined where that cannot be seen. */
  focus?: Focus | null;
  /** The window title, empty when none was ever set. */
  title: string;
  /** The last state that the program announced by an escape code (OSC 7501), empty when it never did. */
  code: string;
  /** Taskbar progress (OSC 9;4) is on: the program says of itself that it is busy. */
  progress: boolean;
  /** The alternate screen is shown, as editors, pagers and most full-screen programs do. */
  alternate: boolean;
  /** Bracketed paste is on: somebody reads a line of input (a shell at its prompt, a program's input box). */
  paste: boolean;
};

/** A screen at a moment, and how much was written to it since the frame before. */
export type Frame = {
  /** Milliseconds since the epoch. */
  t: number;
  screen: Screen;
  /** Bytes written since the last frame. Where they cannot be counted: 1 if anything changed, else 0. */
  bytes: number;
  /** Rows that left the top of the screen since the last frame; a full screen of equal rows still moves. */
  scrolled: number;
  /** When the last byte was written, if that is known better than "by now"; a log's modification time. */
  writtenAt?: number;
  /** What the machine tells of the terminal, where it can be asked. */
  machine?: Machine;
};

/** A screen on which nothing has been written. */
export function blankScreen(): Screen {
  return {
    rows: [],
    cursor: { x: 0, y: 0, hidden: false },
    title: "",
    code: "",
    progress: false,
    alternate: false,
    paste: false,
  };
}
