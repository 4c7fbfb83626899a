/** A character of a captured screen. */
export interface CapturedCell {
  readonly text: string;
  /** Placeholders of input boxes are drawn faint. */
  readonly faint: boolean;
  /** How its background looks, -1 for the terminal's own and -2 for a reversed one; equal numbers look alike. */
  readonly ground: number;
}

const CODES = /\u001b\[([0-9;:]*)m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u000e\u000f]/uy;

interface Style {
  readonly faint: boolean;
  readonly reversed: boolean;
  readonly background: number;
}

const PLAIN: Style = { faint: false, reversed: false, background: -1 };

/**
 * The cells of what `capture-pane -e` gives: attributes last from one row to the next. tmux leaves out blanks at the end of a row but
 * not their attributes, so a reversed blank at the end is added again: that is how many programs draw a cursor.
 */
export function cellsOf(capture: string): readonly (readonly CapturedCell[])[] {
  let style = PLAIN;
  return rowsOf(capture).map((line) => {
    const cells: CapturedCell[] = [];
    const add = (text: string) =>
      cells.push({ text, faint: style.faint, ground: style.reversed ? -2 : style.background });
    let isPending = false;
    for (let at = 0; at < line.length; ) {
      CODES.lastIndex = at;
      const code = CODES.exec(line);
      if (code === null) {
        const text = String.fromCodePoint(line.codePointAt(at) ?? 0);
        add(text);
        isPending = false;
        at += text.length;
        continue;
      }
      const before = style;
      if (code[1] !== undefined) style = styleAfter(style, code[1]);
      isPending = style.reversed && !before.reversed;
      at += code[0].length;
    }
    if (isPending) add(" ");
    return cells;
  });
}

/** The rows of a capture: each ends with a line break. */
function rowsOf(capture: string): readonly string[] {
  return capture.replace(/\n$/, "").split("\n");
}

function styleAfter(before: Style, code: string): Style {
  let { faint, reversed, background } = before;
  const parts = code.split(/[;:]/).map(Number);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? 0;
    if (part === 38 || part === 48 || part === 58) {
      // Colours carry numbers of their own: 38;2;r;g;b and 38;5;n.
      const length = parts[at + 1] === 2 ? 4 : 2;
      if (part === 48)
        background = parts.slice(at + 1, at + 1 + length).reduce((sum, n) => sum * 256 + n, 1000);
      at += length;
    } else if (part === 0) ({ faint, reversed, background } = PLAIN);
    else if (part === 2) faint = true;
    else if (part === 22) faint = false;
    else if (part === 7 || part === 27) reversed = part === 7;
    else if (part === 49) background = -1;
    else if ((part >= 40 && part <= 47) || (part >= 100 && part <= 107)) background = part;
  }
  return { faint, reversed, background };
}
