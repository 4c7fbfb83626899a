import { type CapturedCell, cellsOf } from "../../system/capture.ts";

type Cell = Pick<CapturedCell, "text" | "faint">;

export interface PromptScreen {
  readonly rows: readonly (readonly Cell[])[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/** A screen from what `capture-pane -e` gives. */
export function screenFrom(capture: string, cursor: PromptScreen["cursor"]): PromptScreen {
  return { rows: cellsOf(capture), cursor };
}

const FRAME = /[\s\u2500-\u259f|]/gu;
const BLANK = /^[\s\u2500-\u259f|]*$/u;
/** A prompt's mark, and the same with something typed behind it. */
const MARK = /[>❯›»➤▶λ$#%]\s*$/u;
const TYPED = /[>❯›»➤▶λ$#%]\s+\S/u;
const BOX = /^\s*[│┃▌|]\s*$/u;

function textOf(cells: readonly Cell[]): string {
  return cells.map(({ text }) => text).join("");
}

function rowText({ rows }: PromptScreen, y: number): string {
  return textOf(rows[y] ?? []);
}

/** The row of the cursor, up to the cursor. */
export function beforeCursor({ rows, cursor }: PromptScreen): string {
  return textOf((rows[cursor.y] ?? []).slice(0, cursor.x)).padEnd(cursor.x);
}

/** Why the cursor does not stand at an empty prompt, or undefined if it does. */
export function notAtPrompt(screen: PromptScreen): string | undefined {
  const { rows, cursor } = screen;
  const before = beforeCursor(screen);
  const after = (rows[cursor.y] ?? []).slice(cursor.x).filter(({ faint }) => !faint);
  if (!BLANK.test(textOf(after))) return "there is text after its cursor";
  if (!BLANK.test(rowText(screen, cursor.y + 1))) return "there is text below its prompt";
  // A box without a mark: its first row has nothing above it either.
  if (BOX.test(before) && BLANK.test(rowText(screen, cursor.y - 1))) return undefined;
  if (!MARK.test(before)) return "its cursor is not at an empty prompt";
  return TYPED.test(before) ? "there is text at its prompt already" : undefined;
}

/** Without what a line break or the frame of a box adds. */
function bare(text: string): string {
  return text.replaceAll(FRAME, "");
}

/** Whether the cursor stands behind this prompt and this text, which may be broken over several rows. */
export function shows(screen: PromptScreen, prompt: string, text: string): boolean {
  const wanted = bare(prompt) + bare(text);
  const line = bare(beforeCursor(screen));
  if (line === "") return false;
  if (line.endsWith(wanted)) return line === wanted;
  if (!wanted.endsWith(line)) return false;
  const above = screen.rows.slice(0, screen.cursor.y).map(textOf).join("");
  return (bare(above) + line).endsWith(wanted);
}
