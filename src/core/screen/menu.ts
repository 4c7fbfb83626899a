// Questions that are known by how they are laid out, whatever their words: for prompts and menus of a make that was never met.

import { popupIn } from "./columns.ts";
import { unboxed } from "./normalise.ts";
import type { Screen } from "./screen.ts";

/** What is asked: the row that shows it, and how it is answered. */
export type LaidOut = { readonly kind: "question" | "choice"; readonly row: string };

/** The question or menu that a screen ends with; undefined if there is none. */
export function askedBy(screen: Screen): LaidOut | undefined {
  const rows = screen.rows.slice(0, screen.rows.findLastIndex(isText) + 1);
  return (
    markedQuestion(rows, screen) ??
    listAtCursor(rows, screen) ??
    (takesKeys(screen) ? (pointedList(rows) ?? buttonRow(popupIn(screen) ?? rows)) : undefined)
  );
}

const isText = (row: string) => /[\p{L}\p{N}]/u.test(row);

/** A program that shows no cursor, and draws none, takes keys, not words. */
function takesKeys({ cursor, focus }: Screen): boolean {
  return focus === undefined ? cursor.hidden : focus === null;
}

/** Prompts of many makes put this mark before the question that is asked now, and another one before those that were answered. */
const marked = /^\? \S/u;
/** Footers explain keys behind it. */
const help = /^\? (?:for |to |=|[:-]|\W*$|\S+$)|^\? (?:help|shortcuts|keys|more|about)\b/iu;
/** Answers stand below it, and hints of keys. */
const hint = /[↑↓⏎]|\b(?:enter|return|arrow|space|tab|esc)\b|\b(?:ctrl|alt|shift)[+-]/iu;
/** Rows of a menu that fill the left edge begin with a mark. */
const answer = /^\s{2}|^\s*[^\p{L}\p{N}\s$#%>]/u;
const mostBelow = 14;

function markedQuestion(rows: readonly string[], screen: Screen): LaidOut | undefined {
  const { cursor } = screen;
  const at = rows.findLastIndex((row) => marked.test(row) && !help.test(row));
  const row = rows[at];
  // Behind an answer, the cursor goes to a row of its own.
  const isBehind =
    !cursor.hidden && (cursor.y < at || (cursor.y > at && !isText(screen.rows[cursor.y] ?? "")));
  if (row === undefined || rows.length - at - 1 > mostBelow || isBehind) return undefined;
  const below = rows.slice(at + 1);
  const isMenu = below.every(
    (one) => one.trim() === "" || marked.test(one) || answer.test(one) || hint.test(one),
  );
  return isMenu ? { kind: "question", row } : undefined;
}

const label = /^\s*(?:[a-z]|\d{1,2})[.)]\s+\S/iu;

/** A question, and the cursor in front of one of its answers, which are counted by letters or numbers. */
function listAtCursor(rows: readonly string[], { cursor }: Screen): LaidOut | undefined {
  const isAnswer = (y: number) => label.test(rows[y] ?? "");
  const row = rows[cursor.y] ?? "";
  const isBefore = /^\s*$/u.test(row.slice(0, cursor.x));
  if (!isBefore || !isAnswer(cursor.y) || (!isAnswer(cursor.y - 1) && !isAnswer(cursor.y + 1)))
    return undefined;
  let [from, to] = [cursor.y, cursor.y + 1];
  while (isAnswer(from - 1)) from -= 1;
  while (isAnswer(to)) to += 1;
  const above = rows.slice(0, from).findLast(isText) ?? "";
  return /[?:]\W*$/u.test(above) && to === rows.length ? { kind: "choice", row: row.trim() } : undefined;
}

/** The answer that is chosen now, up to its words. */
const pointer = /^\s*(?:[❯›▸▶➤→‣►>◉⦿]|\([xX*•●]\))\s+(?=\S)/u;
/** What stands before the others: nothing, or an empty circle or box. */
const beside = /^(?:[\s○◯◌⊙◦☐☑✓✔]|\(\s\))*$/u;
const mostWords = 80;
const mostChoices = 20;
/** Hints of keys stand below it. */
const mostHints = 2;

/** A pointer at one of several short rows that begin at the same column, below a row that names them, at the end of the screen. */
function pointedList(rows: readonly string[]): LaidOut | undefined {
  const at = rows.findLastIndex((row) => pointer.test(row));
  const words = pointer.exec(rows[at] ?? "")?.[0].length ?? 0;
  const isChoice = (row = "") =>
    row.length <= mostWords && beside.test(row.slice(0, words)) && /^\S/u.test(row.slice(words));
  let [from, to] = [at, at + 1];
  while (isChoice(rows[from - 1])) from -= 1;
  while (isChoice(rows[to])) to += 1;
  if (at < 0 || (rows[at] ?? "").length > mostWords || to - from > mostChoices) return undefined;
  const below = rows.slice(to).filter(isText);
  const above = rows.slice(0, from).findLast(isText) ?? "";
  // Two rows may be what somebody wrote in a chat.
  const isMenu = to - from > 2 || (to - from === 2 && /[?:]\W*$/u.test(above));
  if (!isMenu || above === "" || below.length > mostHints || !below.every((row) => hint.test(row)))
    return undefined;
  return { kind: "choice", row: rows[at]?.trim() ?? "" };
}

/** A few answers side by side, each of a few words; the one that is chosen differs by its colours only. */
const buttons = /^\S{1,16}(?: \S{1,16}){0,3}(?:\s{3,}\S{1,16}(?: \S{1,16}){0,3}){1,4}$/u;
/** Numbers and paths are a table. */
const table = /\d|[/\\]|\.\w/u;
const questionWithin = 5;

/** A question, and below it a row of answers: the last that stands on the screen, or in a box. */
function buttonRow(rows: readonly string[]): LaidOut | undefined {
  const texts = rows.map(unboxed).filter(isText);
  const at = texts.findLastIndex((text) => buttons.test(text) && !table.test(text));
  const row = texts[at];
  const above = texts.slice(Math.max(0, at - questionWithin), at);
  if (row === undefined || !above.some((text) => /\?\W*$/u.test(text))) return undefined;
  return texts.slice(at + 1).every((text) => hint.test(text) || /[←→]/u.test(text))
    ? { kind: "choice", row }
    : undefined;
}
