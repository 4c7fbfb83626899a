import { stripVTControlCharacters } from "node:util";
import pc from "picocolors";
import { sayAgo, sayDuration } from "../core/duration.ts";
import type { State } from "../core/liveness/state.ts";

/** Colours only where a person looks at a terminal, and not if they asked for none. */
const colours = pc.createColors(
  process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb",
);

const PAINT: Readonly<Record<State, (text: string) => string>> = {
  new: colours.cyan,
  alive: colours.green,
  late: colours.yellow,
  resting: colours.blue,
  waiting: colours.magenta,
  limited: colours.magenta,
  stalled: colours.red,
  failing: colours.red,
  dead: (text) => colours.bold(colours.red(text)),
  paused: colours.dim,
  unknown: colours.yellow,
};

export function paintState(state: State, text: string = state): string {
  return PAINT[state](text);
}

export const { bold, dim } = colours;

/** What an agent says is hostile input to a terminal: no escape sequence or control character passes. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

/** How many columns a text takes. */
function width(text: string): number {
  let columns = 0;
  for (const character of stripVTControlCharacters(text)) columns += isWide(character) ? 2 : 1;
  return columns;
}

function isWide(character: string): boolean {
  return /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(
    character,
  );
}

function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = "";
  for (const character of text) {
    if (width(kept + character) > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly paint?: (row: Row, text: string) => string;
  /** The last column takes what is left of the terminal's width. */
  readonly most?: number;
}

/** A table: titles dimmed, columns as wide as what stands in them, the last one cut at the terminal's edge. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map((row) => columns.map(({ text, most }) => cut(plain(text(row)), most ?? 1000)));
  const widths = columns.map(({ title }, i) =>
    Math.max(width(title), ...cells.map((line) => width(line[i] ?? ""))),
  );
  const total = process.stdout.isTTY === true ? (process.stdout.columns ?? 120) : Number.POSITIVE_INFINITY;
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  const last = Math.max(20, total - before);
  const fitted = (text: string, i: number) => {
    if (i === columns.length - 1) return cut(text, last);
    return text + " ".repeat(Math.max(0, (widths[i] ?? 0) - width(text)));
  };
  const head = columns.map(({ title }, i) => dim(fitted(title, i))).join("  ");
  const body = cells.map((line, r) =>
    line
      .map((text, i) => {
        const { paint } = columns[i] ?? {};
        const row = rows[r];
        const cell = fitted(text, i);
        return paint === undefined || row === undefined ? cell : paint(row, cell);
      })
      .join("  ")
      .trimEnd(),
  );
  return [head.trimEnd(), ...body].join("\n");
}

/** A moment by this host's own clock: the time, and the day if it is another one than today. */
export function clock(time: string, now = Date.now()): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return plain(time);
  const two = (number: number) => String(number).padStart(2, "0");
  const of = (day: Date) => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  const hours = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return of(at) === of(new Date(now)) ? hours : `${of(at)} ${hours}`;
}

/** A moment as people read it: `3 min ago (14:02:10)`, `in 2 h (16:02:10)`. */
export function when(time: string, now = Date.now()): string {
  const passed = now - Date.parse(time);
  if (Number.isNaN(passed)) return plain(time);
  return `${passed < 0 ? `in ${sayDuration(-passed)}` : sayAgo(passed)} (${clock(time, now)})`;
}

/** What a command did: a sentence for people, or the facts for a program that asked for JSON. */
export function sayDone(json: true | undefined, facts: object, sentence: string): void {
  if (json === true) sayJson(facts);
  else say(plain(sentence));
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function sayJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY === true ? 2 : undefined)}\n`);
}
