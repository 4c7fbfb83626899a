/** A run of one look on a row of a terminal. */
export interface TerminalRun {
  readonly text: string;
  /** Names of classes for what the style sheet knows: the sixteen colours, bold, faint and so on. */
  readonly looks: readonly string[];
  /** A colour of the 256 or of all. */
  readonly colour?: string;
  readonly ground?: string;
}

interface Pen {
  bold: boolean;
  faint: boolean;
  italic: boolean;
  under: boolean;
  inverse: boolean;
  fore: string | undefined;
  back: string | undefined;
}

const CODE = /\x1b\[([0-9;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]?/g;
/** What moves the cursor: a text with such codes is no picture of rows. */
const MOVES = /\x1b\[[0-9;?]*[A-LN-Za-ln-z]/;

export function isPicture(text: string): boolean {
  return !MOVES.test(text);
}

/** The rows of a terminal with its colours. Every other code is left out: a screen is the agent's own words. */
export function rowsOf(text: string): readonly (readonly TerminalRun[])[] {
  const pen = blank();
  return text.split("\n").map((row) => runsOf(row.replace(/\r$/, ""), pen));
}

function blank(): Pen {
  return {
    ...{ bold: false, faint: false, italic: false, under: false, inverse: false },
    ...{ fore: undefined, back: undefined },
  };
}

function runsOf(row: string, pen: Pen): TerminalRun[] {
  const runs: TerminalRun[] = [];
  let from = 0;
  const put = (text: string) => {
    // Control characters draw nothing.
    const shown = text.replace(/[\0-\x08\x0b-\x1f\x7f]/g, "");
    if (shown !== "") runs.push({ text: shown, ...lookOf(pen) });
  };
  for (const found of row.matchAll(CODE)) {
    put(row.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[1] !== undefined) apply(pen, found[1]);
  }
  put(row.slice(from));
  return runs;
}

function lookOf({ bold, faint, italic, under, inverse, fore, back }: Pen): Omit<TerminalRun, "text"> {
  const looks = Object.entries({ bold, faint, italic, under }).flatMap(([name, is]) =>
    is ? [`x-${name}`] : [],
  );
  const [front, ground] = inverse ? [back ?? "ground", fore ?? "text"] : [fore, back];
  const named = (colour: string | undefined, kind: "f" | "b") => {
    if (colour === undefined || colour.startsWith("#")) return;
    looks.push(`x-${kind}-${colour}`);
  };
  named(front, "f");
  named(ground, "b");
  return {
    looks,
    ...(front?.startsWith("#") ? { colour: front } : {}),
    ...(ground?.startsWith("#") ? { ground } : {}),
  };
}

function apply(pen: Pen, codes: string): void {
  const list = codes.split(/[;:]/).map(Number);
  for (let i = 0; i < list.length; i++) {
    const code = list[i] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = wide(list, i + 1);
      pen[code === 38 ? "fore" : "back"] = colour;
      i += used;
    } else simple(pen, code);
  }
}

function simple(pen: Pen, code: number): void {
  if (code === 0) Object.assign(pen, blank());
  else if (code === 1) pen.bold = true;
  else if (code === 2) pen.faint = true;
  else if (code === 3) pen.italic = true;
  else if (code === 4) pen.under = true;
  else if (code === 7) pen.inverse = true;
  else if (code === 22) pen.bold = pen.faint = false;
  else if (code === 23) pen.italic = false;
  else if (code === 24) pen.under = false;
  else if (code === 27) pen.inverse = false;
  else if (code === 39) pen.fore = undefined;
  else if (code === 49) pen.back = undefined;
  else if (code >= 30 && code <= 37) pen.fore = String(code - 30);
  else if (code >= 40 && code <= 47) pen.back = String(code - 40);
  else if (code >= 90 && code <= 97) pen.fore = String(code - 82);
  else if (code >= 100 && code <= 107) pen.back = String(code - 92);
}

/** A colour of the 256 or of all, and how many numbers it took. */
function wide(list: readonly number[], at: number): [colour: string | undefined, used: number] {
  if (list[at] === 5) return [ofPalette(list[at + 1] ?? 0), 2];
  if (list[at] !== 2) return [undefined, 1];
  const [red = 0, green = 0, blue = 0] = list.slice(at + 1, at + 4);
  return [hex(red, green, blue), 4];
}

function ofPalette(index: number): string {
  if (index < 16) return String(index);
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return hex(grey, grey, grey);
  }
  const step = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return hex(step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6));
}

function hex(...parts: readonly number[]): string {
  return `#${parts.map((part) => Math.min(255, part).toString(16).padStart(2, "0")).join("")}`;
}
