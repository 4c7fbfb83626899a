// Screens on which text stands beside text: a column of facts at the right, or a dialog that is drawn over the rest.

import type { Screen } from "./screen.ts";

const bar = /^[│┃║▏▕]$/u;
/** Fewer rows than this are a table, or chance. */
const leastRows = 6;
/** A column at the side takes less than half of the screen. */
const leftShare = 0.45;
const gutter = 3;

/** The rows without a column at their right side, which would stand among what was said last. */
export function mainColumn(rows: readonly string[]): readonly string[] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const least = Math.max(24, Math.floor(width * leftShare));
  if (rows.filter((row) => row.length > least).length < leastRows) return rows;
  const at = barColumn(rows, least, width) ?? gapColumn(rows, least);
  return at === undefined ? rows : rows.map((row) => cut(row, at));
}

function cut(row: string, at: number): string {
  const isSide = row.length > at && (bar.test(row.charAt(at)) || row.slice(at - gutter, at).trim() === "");
  return isSide ? row.slice(0, at).trimEnd() : row;
}

/** A line from top to bottom, with text at its right. */
function barColumn(rows: readonly string[], from: number, width: number): number | undefined {
  const counts = new Map<number, number>();
  for (const row of rows) {
    for (let x = from; x < Math.min(row.length, width - 4); x += 1) {
      if (bar.test(row.charAt(x))) counts.set(x, (counts.get(x) ?? 0) + 1);
    }
  }
  const beside = (x: number) =>
    rows.filter((row) => bar.test(row.charAt(x)) && /[\p{L}\p{N}]/u.test(row.slice(x + 1))).length;
  const lines = [...counts].filter(([x, count]) => count >= leastRows && beside(x) >= 2);
  return lines.length === 0 ? undefined : Math.min(...lines.map(([x]) => x));
}

/** Rows that begin at the same column, and nothing that crosses the gap before it. */
function gapColumn(rows: readonly string[], from: number): number | undefined {
  const long = rows.filter((row) => row.length > from && !isLine(row));
  // Only where some row begins after a gap can a column begin.
  const begins = new Set<number>();
  for (const row of long)
    for (const { index, 0: gap } of row.slice(from - gutter).matchAll(/ {3,}(?=\S)/g))
      begins.add(from - gutter + index + gap.length);
  const isColumn = (x: number) => {
    let count = 0;
    for (const row of long) {
      if (row.length <= x) continue;
      if (row.slice(x - gutter, x).trim() !== "") return false;
      if (row.charAt(x) !== " ") count += 1;
    }
    return count >= leastRows;
  };
  const columns = [...begins].filter(isColumn);
  return columns.length === 0 ? undefined : Math.min(...columns);
}

function isLine(row: string): boolean {
  return /^[\s─━═╌┄╭╮╰╯┌┐└┘]+$/u.test(row);
}

const topLeft = /[╭┌╔┏]/gu;
const topLine = /^[╭┌╔┏][^╭┌╔┏│┃║]*[╮┐╗┓]/u;
const bottomLine = /^[╰└╚┗]/u;
/** Smaller boxes are buttons. */
const leastWidth = 20;
const leastHeight = 1;
/** Wide characters before a box move its sides. */
const drift = 6;

/** The text of a box that stands over, or beside, other text; undefined if there is none. A box of the whole width is none. */
export function popupIn({ rows }: Pick<Screen, "rows">): readonly string[] | undefined {
  for (const [y, row] of rows.entries()) {
    for (const { index: x } of row.matchAll(topLeft)) {
      const top = topLine.exec(row.slice(x))?.[0].length ?? 0;
      if (top < leastWidth) continue;
      const inside = boxBelow(rows, y, x, top);
      if (inside !== undefined && inside.length >= leastHeight && isOver(rows, y, inside.length, x, top))
        return inside;
    }
  }
  return undefined;
}

function boxBelow(
  rows: readonly string[],
  top: number,
  x: number,
  width: number,
): readonly string[] | undefined {
  const inside: string[] = [];
  for (const row of rows.slice(top + 1)) {
    if (bottomLine.test(row.slice(x))) return inside;
    const left = near(row, x);
    const right = near(row, x + width - 1);
    if (left === undefined || right === undefined || right <= left) return undefined;
    inside.push(row.slice(left + 1, right));
  }
  return undefined;
}

/** Where a side of the box is, if it is about there. */
function near(row: string, x: number): number | undefined {
  for (let off = 0; off <= drift; off += 1) {
    if (bar.test(row.charAt(x - off))) return x - off;
  }
  return undefined;
}

/** Something else stands in the rows of the box. */
function isOver(rows: readonly string[], top: number, height: number, x: number, width: number): boolean {
  const beside = rows.slice(top, top + height + 2).filter((row) => {
    const rest = `${row.slice(0, Math.max(0, x - drift))} ${row.slice(x + width + 1)}`;
    return /[\p{L}\p{N}]{2}/u.test(rest);
  });
  return beside.length >= 2 || x >= 8;
}

/** A line of a box as far as it can be seen: it ends in the middle, or goes on behind a gap. */
const cutTop = /^(\s*[╭┌╔┏][─━═]{2,})(?=\s{3}|$)/u;
const cutBottom = /^(\s*[╰└╚┗][─━═]{2,})(?=\s{3}|$)/u;
/** The row of a menu that is chosen now, up to its words. */
const chosen = /^\s*[→❯›▶➤▸►>]\s+(?=\S)/u;
/** A menu is not further away from the box over which it is drawn. */
const overlap = 12;

/**
 * The rows of a menu without a frame of its own that is drawn over a box, so that the box's lines end where the menu begins:
 *
 *   ╭───    →   Continue    ───╮
 *   │ ›         Skip           │
 *   ╰───                    ───╯
 *
 * Undefined if there is none. One choice alone is no menu.
 */
export function menuOver({ rows }: Pick<Screen, "rows">): readonly string[] | undefined {
  for (const [y, row] of rows.entries()) {
    const left = cutTop.exec(row)?.[1]?.length;
    if (left === undefined || !rows.slice(y + 1, y + overlap).some((below) => endsAt(below, left))) continue;
    const from = Math.max(0, y - overlap);
    const menu = choicesIn(rows.slice(from, y + overlap).map((one) => one.slice(left)));
    if (menu !== undefined) return menu;
  }
  return undefined;
}

function endsAt(row: string, left: number): boolean {
  return cutBottom.exec(row)?.[1]?.length === left;
}

function choicesIn(rows: readonly string[]): readonly string[] | undefined {
  const at = rows.findIndex((row) => chosen.test(row));
  const words = chosen.exec(rows[at] ?? "")?.[0].length ?? 0;
  const isChoice = (row: string | undefined) =>
    row !== undefined && row.slice(0, words).trim() === "" && /^\S/u.test(row.slice(words));
  let [from, to] = [at, at + 1];
  while (isChoice(rows[from - 1])) from -= 1;
  while (isChoice(rows[to])) to += 1;
  return at < 0 || to - from < 2 ? undefined : rows.slice(from, to).map((row) => row.trim());
}
