import type { Screen } from "../../core/screen/screen.ts";
import type { LogFile, NoLog, SessionLog } from "../../session-log/template.ts";
import type { Drawing, Drawn, Screens } from "../screens/screens.ts";

/** How far back a screen is drawn from. Measured clients redraw all of it within a few kilobytes. */
export const LOOK_BACK = 256 * 1024;
/** More than this since the last look is not all fed: its end shows the same screen. */
const MOST_FED = 1024 * 1024;
const CHUNK = 64 * 1024;
/** An escape sequence or a line that was cut at the beginning of a tail ends within this. */
const LONGEST_CUT = 4096;

/** The modes that a program sets once, at its start, and that a tail therefore does not show. */
export type Modes = Pick<Screen, "title" | "code" | "progress" | "alternate" | "paste"> & { hidden: boolean };

/** What feeding came to: the screen with what was written to it, `moved` if the file was replaced meanwhile. */
export type Fed = Drawn | { readonly moved: true } | { readonly aborted: true } | NoLog;

export interface FeedSettings {
  readonly log: SessionLog;
  /** The size of the terminal; a pane may be resized. */
  readonly size: () => NonNullable<Drawing["open"]>;
  /** Where the terminal is. */
  readonly screens: Screens;
}

/** A terminal that follows a log. It is opened when it is needed, and dropped when nothing is written for long. */
export interface LogFeed {
  /** Draws what stands between `from` and `to`, over what stood before it, and counts only that. Throws a ScreenProblem. */
  draw(file: LogFile, from: number, to: number, abort: AbortSignal, modes?: Modes): Promise<Fed>;
  /** The last bytes that were drawn, by which the log is known again. */
  mark(): string;
  drop(): void;
}

/** How many bytes tell one log from another. */
const MARK = 48;

let terminals = 0;

export function openFeed({ log, size, screens }: FeedSettings): LogFeed {
  terminals += 1;
  const terminal = terminals;
  let isOpen = false;
  let opened = "";
  let position = 0;
  let mark: Uint8Array = NO_BYTES;

  const drop = () => {
    if (isOpen) screens.drop(terminal);
    isOpen = false;
  };

  /** The bytes from where we stand up to `to`. */
  const collect = async (file: LogFile, to: number, abort: AbortSignal) => {
    const chunks: Uint8Array[] = [];
    while (position < to) {
      const got = await log.read(file, position, Math.min(CHUNK, to - position));
      if ("problem" in got) return got;
      if (got.dev !== file.dev || got.ino !== file.ino || got.bytes.length === 0) return MOVED;
      // It may also have been dropped while we waited.
      if (abort.aborted || !isOpen) return ABORTED;
      chunks.push(got.bytes);
      mark = lastOf(mark, got.bytes);
      position += got.bytes.length;
    }
    return Buffer.concat(chunks);
  };

  /** On the terminal as it is. Undefined if it was lost. */
  const goOn = async (file: LogFile, to: number, abort: AbortSignal): Promise<Fed | undefined> => {
    const bytes = await collect(file, to, abort);
    if (!(bytes instanceof Uint8Array)) return bytes;
    return await screens.draw({ terminal, before: NO_BYTES, bytes }, abort);
  };

  /** On a new terminal, from `start` on. */
  const beginAt = async (start: number, { file, from, to, abort, modes }: DrawAsk): Promise<Fed> => {
    drop();
    isOpen = true;
    opened = JSON.stringify(size());
    position = start;
    mark = NO_BYTES;
    let before = await collect(file, from, abort);
    if (!(before instanceof Uint8Array)) return before;
    let bytes = await collect(file, to, abort);
    if (!(bytes instanceof Uint8Array)) return bytes;
    if (start > 0) {
      if (before.length > 0) before = before.subarray(wholeFrom(before));
      else bytes = bytes.subarray(wholeFrom(bytes));
      if (modes !== undefined) before = Buffer.concat([preludeOf(modes), before]);
    }
    return (await screens.draw({ terminal, open: size(), before, bytes }, abort)) ?? ABORTED;
  };

  return {
    async draw(file, from, to, abort, modes) {
      const isFar = to - from > MOST_FED;
      let fed: Fed | undefined;
      try {
        // A screen of another size is drawn anew.
        if (isOpen && position === from && !isFar && opened === JSON.stringify(size()))
          fed = await goOn(file, to, abort);
        const start = Math.max(0, isFar ? to - LOOK_BACK : Math.min(from, to - LOOK_BACK));
        fed ??= await beginAt(start, { file, from: Math.max(from, start), to, abort, modes });
        return fed;
      } finally {
        if (fed === undefined || !("screen" in fed)) drop();
      }
    },
    mark: () => Buffer.from(mark).toString("base64"),
    drop,
  };
}

interface DrawAsk {
  readonly file: LogFile;
  readonly from: number;
  readonly to: number;
  readonly abort: AbortSignal;
  readonly modes: Modes | undefined;
}

const NO_BYTES = new Uint8Array(0);
const MOVED = { moved: true } as const;
const ABORTED = { aborted: true } as const;

function lastOf(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= MARK) return bytes.slice(-MARK);
  return new Uint8Array([...before, ...bytes].slice(-MARK));
}

/** Where the first thing begins that is surely whole: a line, or an escape sequence. */
export function wholeFrom(bytes: Uint8Array): number {
  const end = Math.min(bytes.length, LONGEST_CUT);
  for (let i = 0; i < end; i += 1) {
    if (bytes[i] === 0x1b) return i;
    if (bytes[i] === 0x0a) return i + 1;
  }
  // Neither: then only a character may be cut.
  let i = 0;
  while (i < Math.min(4, bytes.length) && ((bytes[i] ?? 0) & 0xc0) === 0x80) i += 1;
  return i;
}

export function modesOf({ title, code, progress, alternate, paste, cursor }: Screen): Modes {
  return { title, code, progress, alternate, paste, hidden: cursor.hidden };
}

/** Sets a new terminal's modes as the old one's were. */
function preludeOf({ title, code, progress, alternate, paste, hidden }: Modes): Uint8Array {
  const clean = (text: string) => text.replace(/\p{Cc}/gu, "");
  return new TextEncoder().encode(
    [
      alternate ? "\x1b[?1049h" : "",
      paste ? "\x1b[?2004h" : "",
      hidden ? "\x1b[?25l" : "",
      progress ? "\x1b]9;4;3;0\x07" : "",
      title === "" ? "" : `\x1b]2;${clean(title)}\x07`,
      code === "" ? "" : `\x1b]7501;${clean(code)}\x07`,
    ].join(""),
  );
}
