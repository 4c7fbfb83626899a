import { stripVTControlCharacters } from "node:util";
import pc from "picocolors";
import { sayAgo, sayDuration } from "../../core/duration.ts";
import { STATE_TRAITS, type State } from "../../core/liveness/state.ts";
import { cut, cutMiddle, type Fitting, fitColumns, GAP, width } from "./width.ts";

/** Colours only where a person looks at a terminal, and not if they asked for none. */
const colours = pc.createColors(
  process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb",
);

export function paintState(state: State, text: string = state): string {
  const { colour } = STATE_TRAITS[state];
  return colour === "bold red" ? colours.bold(colours.red(text)) : colours[colour](text);
}

export const { bold, dim, inverse } = colours;

/** What an agent says is hostile input to a terminal: no escape sequence or control character passes. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

/** A sentence that was kept names instants in UTC; a reader wants them on the clock at hand, with the day unless it is today. */
export function onThisClock(text: string, now: number): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => clock(instant, now));
}

export interface Column<Row> extends Fitting {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly paint?: (row: Row, text: string) => string;
  /** On a terminal no wider than this, however much room there is. */
  readonly most?: number;
  /** What stands there instead if a text is too long. */
  readonly brief?: (row: Row) => string;
  /** On a terminal at least as wide as this, so that no column comes or goes as texts grow. */
  readonly usual?: number;
  /** A text of the last column that is too long takes more lines, and nothing of it is left out. */
  readonly wraps?: true;
  /** Which part of a text that is too long is left out; by default its end. */
  readonly cut?: "middle";
}

const LONGEST = 1000;
/** The last column is cut at the terminal's edge, but not to less than this. */
const LAST = 20;
/** A column that has a largest width may be cut further in a narrow terminal, but not to less than this. */
const NARROW = 12;

/** How wide the output may be: what goes to a file or a pipe is whole unless COLUMNS says how wide it shall be. */
export function outputWidth(): number {
  const wished = Number(process.env.COLUMNS);
  const given = Number.isSafeInteger(wished) && wished > 0 ? wished : undefined;
  if (process.stdout.isTTY !== true) return given ?? Number.POSITIVE_INFINITY;
  return process.stdout.columns || given || 80;
}

/** A table that fits the terminal: titles dimmed, columns as wide as what stands in them. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const total = outputWidth();
  // A program that reads the table, or searches it, wants whole words.
  const longest = Number.isFinite(total) ? 0 : LONGEST;
  const cells = rows.map((row) =>
    columns.map(({ text, most = LONGEST, cut: how }) =>
      shorten(plain(text(row)), Math.max(longest, most), how),
    ),
  );
  const wanted = columns.map(({ title, usual = 0 }, i) =>
    cells.reduce(
      (most, line) => Math.max(most, width(line[i] ?? "")),
      Math.max(width(title), Number.isFinite(total) ? usual : 0),
    ),
  );
  const fittings = columns.map(({ least, most, drop }, i) => ({
    least: least ?? (i === columns.length - 1 ? LAST : most === undefined ? undefined : NARROW),
    drop,
  }));
  const first = fitColumns(wanted, fittings, total);
  // Where the brief text stands, the column needs no more room than that.
  const needed = columns.map(({ brief }, i) => {
    const [most = 0, room = 0] = [wanted[i], first[i]];
    if (brief === undefined || room === 0 || room >= most) return most;
    return rows.reduce(
      (widest, row, r) => {
        const whole = width(cells[r]?.[i] ?? "");
        return Math.max(widest, whole > room ? width(plain(brief(row))) : whole);
      },
      width(columns[i]?.title ?? ""),
    );
  });
  const widths = fitColumns(needed, fittings, total);
  const shown = columns
    .map((column, i) => ({ ...column, i, room: widths[i] ?? 0 }))
    .filter(({ room }) => room > 0);
  const last = shown.at(-1)?.i;
  const before = shown.slice(0, -1).reduce((sum, { room }) => sum + room + GAP, 0);
  const fill = (text: string, { cut: how, room, wraps, i }: (typeof shown)[number]) => {
    if (i === last && wraps === true) return wrap(text, room).replaceAll("\n", `\n${" ".repeat(before)}`);
    const fitted = shorten(text, room, how);
    return i === last ? fitted : fitted + " ".repeat(Math.max(0, room - width(fitted)));
  };
  const join = (line: readonly string[]) => line.join(" ".repeat(GAP)).trimEnd();
  const head = join(shown.map((column) => dim(fill(column.title, column))));
  const body = rows.map((row, r) =>
    join(
      shown.map((column) => {
        const whole = cells[r]?.[column.i] ?? "";
        const brief = width(whole) > column.room ? column.brief?.(row) : undefined;
        const cell = fill(brief === undefined ? whole : plain(brief), column);
        return column.paint === undefined ? cell : column.paint(row, cell);
      }),
    ),
  );
  return [head, ...body].join("\n");
}

function shorten(text: string, columns: number, how: "middle" | undefined): string {
  return how === "middle" ? cutMiddle(text, columns) : cut(text, columns);
}

/** A line that may hold colours, cut to so many columns; the colours are kept, so that they end where they should. */
export function cutLine(line: string, columns: number): string {
  if (width(stripVTControlCharacters(line)) <= columns) return line;
  let left = columns - 1;
  let isCut = false;
  return line
    .split(/(\x1b\[[0-9;]*m)/)
    .map((part) => {
      if (part.startsWith("\x1b") || isCut) return part.startsWith("\x1b") ? part : "";
      isCut = width(part) > left;
      const kept = isCut ? cut(part, left + 1) : part;
      left -= width(kept);
      return kept;
    })
    .join("");
}

/** A line that may hold colours, as lines of at most so many columns: it is broken only at `between`, and keeps its indent. */
export function wrap(line: string, columns = outputWidth(), between = " "): string {
  const [indent = ""] = /^ */.exec(line) ?? [];
  const [first = "", ...parts] = line.slice(indent.length).split(between);
  const end = between.trimEnd();
  const lines = [indent + first];
  for (const part of parts) {
    const longer = `${lines.at(-1)}${between}${part}`;
    if (width(stripVTControlCharacters(longer + end)) <= columns) lines[lines.length - 1] = longer;
    else {
      lines[lines.length - 1] += end;
      lines.push(indent + part);
    }
  }
  return lines.join("\n");
}

/** A moment by this host's own clock: the time, and the day if it is another one than today. */
export function clock(time: string, now = Date.now()): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return plain(time);
  const isToday = at.toDateString() === new Date(now).toDateString();
  const hours = at.toTimeString().slice(0, 8);
  return isToday ? hours : `${at.toLocaleDateString("sv-SE")} ${hours}`;
}

/** A moment as people read it: `3 min ago (14:02:10)`, `in 2 h (16:02:10)`. */
export function when(time: string, now = Date.now()): string {
  const passed = now - Date.parse(time);
  if (Number.isNaN(passed)) return plain(time);
  return `${passed < 0 ? `in ${sayDuration(-passed)}` : sayAgo(passed)} (${clock(time, now)})`;
}

/** The longest way to say how long ago something was: `59 min 59 s ago`. */
const AGO = 15;

/** A column of moments, which leaves out the time of day where there is no room for it. */
export function timeColumn<Row>(title: string, timeOf: (row: Row) => string | null | undefined): Column<Row> {
  const say = (row: Row, how: (time: string) => string) => {
    const time = timeOf(row);
    return time ? how(time) : "–";
  };
  const brief = (row: Row) => say(row, (time) => when(time).replace(/ \([^)]*\)$/, ""));
  return { title, text: (row) => say(row, (time) => when(time)), brief, least: AGO };
}

/** A list: as a table, as a sentence where it is empty, or as facts for a program that asked for JSON. */
export function sayList<Row>(
  json: true | undefined,
  facts: object,
  rows: readonly Row[],
  none: string,
  columns: readonly Column<Row>[],
): void {
  if (json === true) sayJson(facts);
  else say(rows.length === 0 ? none : table(rows, columns));
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

const NUMBERS = String.raw`\d{0,4}(?:[;:]\d{0,4}){0,20}`;
/** Colours, moves of the cursor, and writing over what stands there: they change the picture, and nothing else. */
const PICTURE = String.raw`\x1b\[${NUMBERS}[A-HJ-MPSTXZ@\x60a-bd-fm]`;
/** A string, such as a title or the clipboard, up to its end. */
const STRING = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^]*?(?:\x07|\x1b\\|\x9c|$)`;
const SEQUENCE = String.raw`(?:\x1b\[|\x9b)[\x20-\x3f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?`;
const CONTROL = String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`;
const ALL = new RegExp(`(${PICTURE})|${STRING}|${SEQUENCE}|${CONTROL}`, "g");

/**
 * Raw output for a person's own terminal. An agent's output could write the clipboard (OSC 52), set the title and have it
 * typed back, ask the terminal for an answer that a shell then runs, or switch the mouse on; none of that passes. The
 * colours are set back at the end.
 */
export function pictureOnly(text: string): string {
  return `${text.replace(ALL, (_, picture: string | undefined) => picture ?? "")}\x1b[0m`;
}
