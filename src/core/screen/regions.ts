import { mainColumn } from "./columns.ts";
import type { Focus } from "./focus.ts";
import { unboxed, withoutOutput } from "./normalise.ts";
import type { Region } from "./rule.ts";
import type { Screen } from "./screen.ts";

/** The parts of a screen that rules look at, as text with one line per row. */
export type Regions = Record<Exclude<Region, "row" | "group" | "anywhere">, string> & {
  /** All rows with text, and the lowest of them, each with its frame removed. */
  all: readonly string[];
  rows: readonly string[];
  /** The same, and the bottom, without what tools printed; and whether the last row that was said is such. */
  ownRows: readonly string[];
  ownBottom: string;
  isOutput: boolean;
  groups: readonly string[];
  /** All rows above the input box, as seen: what the program has said. */
  content: readonly string[];
  /** The same without a column at their side. */
  main: readonly string[];
  /** What stands in the bars at the top and at the bottom of a screen that a program draws for itself, each part by itself. */
  status: readonly string[];
  /** The rows with text from the input box on. */
  footer: readonly string[];
  /** What is typed goes into the input box; and nothing is typed there yet. */
  isBoxed: boolean;
  isEmpty: boolean;
  /** Everything but the row where text would go: what does not change while somebody only types. */
  around: string;
};

const bottomRows = 4;
const tailRows = 16;
const messageRows = 7;
const singleRows = 10;
const blockRows = 8;
const contentRows = 60;
const boxWithin = 8;

/** A row that opens with a prompt's mark, inside a box or not. */
const inputRow = /^[\s│┃|]*[>❯›»▌➤→$!*](?:\s|$)/u;
/** A row in a box that says what to write there, whatever mark it opens with, or shows a cursor of its own. */
const placeholder =
  /^[\s│┃|]*(?:[^\s\p{L}\p{N}]\s*){0,2}(?:[▋█▏]|(?:ask|type|send|write|message|enter (?:your|a)|what (?:can|would|should|do))\b)/iu;
/** A box begins within this many columns. */
const boxBy = 200;
/** A line across the screen. */
const line = /^[─━═╌┄▁▔]{20,}$/u;
const rule = /^[\s╭╰┌└├╹▀▄─━═╌┄]{3}/u;

export function regionsOf(screen: Screen): Regions {
  const end = inputStart(screen);
  const { focus } = screen;
  const rows = mainColumn(screen.rows);
  const own = withoutOutput(rows);
  const all = texts(rows);
  const lower = all.slice(-tailRows);
  const isBoxed = focus != null && focus.y >= end && focus.y <= end + boxWithin;
  return {
    title: screen.title,
    code: screen.progress ? `${screen.code} progress=on` : screen.code,
    cursor: cursorText(screen),
    prompt: screen.cursor.hidden || !nothingBelow(screen) ? "" : cursorText(screen),
    end: lastWithText(screen.rows.slice(0, screen.cursor.y + 1), 1).join("\n"),
    output: output(screen),
    bottom: lower.slice(-bottomRows).join("\n"),
    tail: lower.join("\n"),
    message: lastWithText(own.slice(0, end), messageRows).join("\n"),
    ...lastIn(rows.slice(0, end)),
    all,
    rows: lower.slice(-singleRows),
    ownRows: texts(own.slice(startOf(rows, singleRows))),
    ownBottom: texts(own.slice(startOf(rows, bottomRows))).join("\n"),
    groups: groupsOf(rows),
    status: statusOf(screen),
    content: screen.rows.slice(Math.max(0, end - contentRows), end),
    main: rows.slice(Math.max(0, end - contentRows), end),
    footer: lastWithText(screen.rows.slice(end), boxWithin),
    isBoxed,
    isEmpty: isBoxed && isEmptyAt(screen, focus),
    around: focus == null ? "" : screen.rows.filter((_, y) => y !== focus.y).join("\n"),
  };
}

/** What divides the parts of a bar: a sign between blanks, or a gap. */
const divider = /\s+[│┃|•·‖▏]\s+|\s{3,}/u;
/** A table in plain text. */
const tableRow = /^\s*\||\|\s*$/u;

/** A shell's output has no bars; there, a row with gaps is a table. */
function statusOf({ rows, cursor, alternate, paste }: Screen): readonly string[] {
  if (!cursor.hidden && !alternate && !paste) return [];
  const last = rows.findLastIndex((row) => row.trim() !== "");
  const bars = [alternate ? (rows[0] ?? "") : "", rows[last] ?? ""];
  return bars.flatMap((bar) => {
    const parts = tableRow.test(bar) ? [] : bar.split(divider).map((part) => part.trim());
    return parts.length < 2 ? [] : parts.filter(isText);
  });
}

/** The last row that was said, and its block: above the lowest of the busy rows, if one of the lower rows is busy. */
export function lastSaid(
  { main }: Regions,
  isRestless: (row: string) => boolean,
): Pick<Regions, "last" | "block" | "isOutput"> {
  const busy = main.findLastIndex(isRestless);
  const below = busy < 0 ? Number.POSITIVE_INFINITY : texts(main.slice(busy)).length;
  let end = below > singleRows ? main.length : busy;
  // A tool may turn beside a clock, above the busy row.
  while (end > 0 && (!isText(main[end - 1] ?? "") || isRestless(main[end - 1] ?? ""))) end -= 1;
  return lastIn(main.slice(0, end));
}

function lastIn(rows: readonly string[]): Pick<Regions, "last" | "block" | "isOutput"> {
  const at = rows.findLastIndex(isText);
  return {
    last: unboxed(rows[at] ?? ""),
    block: lastBlock(rows),
    isOutput: at >= 0 && withoutOutput(rows)[at] === "",
  };
}

/** The last rows with text that no blank row and no line across the screen divides. What stands in one box belongs together. */
function lastBlock(rows: readonly string[]): string {
  const end = rows.findLastIndex(isText) + 1;
  let from = end;
  const divides = (row: string) => row.trim() === "" || line.test(row.trim());
  while (from > 0 && end - from < blockRows && !divides(rows[from - 1] ?? "")) from -= 1;
  return lastWithText(rows.slice(from, end), blockRows).join("\n");
}

/** The tail, divided where a row without text stands. */
function groupsOf(rows: readonly string[]): string[] {
  const groups: string[][] = [[]];
  for (const row of rows.slice(startOf(rows, tailRows))) {
    if (isText(row)) groups.at(-1)?.push(unboxed(row));
    else groups.push([]);
  }
  return groups.filter((group) => group.length > 0).map((group) => group.join("\n"));
}

function isText(row: string): boolean {
  const text = unboxed(row);
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) && !rule.test(text);
}

function lastWithText(rows: readonly string[], wanted: number): string[] {
  return texts(rows.slice(startOf(rows, wanted)));
}

function texts(rows: readonly string[]): string[] {
  return rows.filter(isText).map(unboxed);
}

/** Where the last rows with text begin, so many of them. */
function startOf(rows: readonly string[], wanted: number): number {
  let y = rows.length;
  for (let left = wanted; y > 0 && left > 0; y -= 1) if (isText(rows[y - 1] ?? "")) left -= 1;
  return y;
}

function cursorText({ rows, cursor }: Screen): string {
  return (rows[cursor.y] ?? "").slice(0, cursor.x).replace(/^[\s│┃]+/u, "");
}

/** What was written between the prompt at the cursor and the same prompt before it. */
function output(screen: Screen): string {
  const prompt = cursorText(screen).trimEnd();
  const above = screen.rows.slice(0, screen.cursor.y);
  const last = above.findLastIndex((row) => row.startsWith(prompt) && row.length > prompt.length);
  return above.slice(prompt === "" ? 0 : last + 1).join("\n");
}

/**
 * Where the input box begins; everything from there on is the program's own chrome. Without a box it is the
 * end of the screen. Most clients leave the cursor in the box, hidden or not; others leave it below, and the box
 * is known by its lines.
 */
function inputStart(screen: Screen): number {
  const { rows } = screen;
  const cursor = screen.focus ?? screen.cursor;
  const isRule = (y: number) => rule.test(rows[y] ?? "");
  const isInput = (y: number) => inputRow.test(rows[y] ?? "");
  if (isInput(cursor.y) && !nothingBelow(screen, cursor.y))
    return isRule(cursor.y - 1) ? cursor.y - 1 : cursor.y;
  if (screen.focus != null) {
    const above = nearest(cursor.y, -1, isRule);
    if (above !== undefined && nearest(cursor.y, 1, isRule) !== undefined) return above;
  }
  const last = rows.findLastIndex((row) => row.trim() !== "");
  for (let y = last; y > last - boxWithin; y -= 1) {
    const isBox = isInput(y) || placeholder.test((rows[y] ?? "").slice(0, boxBy));
    if (isBox && isRule(y - 1) && isRule(y + 1)) return y - 1;
    // Some boxes have only an upper line, and hints some rows below.
    if (isInput(y) && line.test(rows[y - 1] ?? "") && (rows[y + 1] ?? "").trim() === "") return y - 1;
  }
  return rows.length;
}

/** A prompt's mark and nothing else, inside a box or not. */
const mark = /^[\s│┃|]*[>❯›»▌➤→$!*]?\s*$/u;

/** Nothing is typed before this place, and its row stands alone: it is no row of a menu. */
function isEmptyAt({ rows }: Screen, { x, y }: Focus): boolean {
  const isAlone = [y - 1, y + 1].every((at) => !isText(rows[at] ?? ""));
  return isAlone && mark.test((rows[y] ?? "").slice(0, x));
}

/** What a person types takes at most so many rows of a box, above and below the cursor. */
const boxHalf = 4;

function nearest(from: number, step: 1 | -1, isRule: (y: number) => boolean): number | undefined {
  for (let y = from + step; Math.abs(y - from) <= boxHalf; y += step) if (isRule(y)) return y;
  return undefined;
}

/** True when no row under the cursor has text: where a shell writes its prompt. */
export function nothingBelow({ rows, cursor }: Screen, y = cursor.y): boolean {
  return rows.slice(y + 1).every((row) => row.trim() === "");
}
