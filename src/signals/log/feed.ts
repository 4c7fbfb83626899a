import type { Screen } from "../../core/screen/screen.ts";
import type { LogFile, NoLog, SessionLog } from "../session-log.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import type { TerminalPool } from "../terminal-pool.ts";

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
export type Fed =
  | { readonly screen: Screen; readonly bytes: number; readonly scrolled: number }
  | { readonly moved: true }
  | { readonly aborted: true }
  | NoLog;

export interface FeedSettings {
  readonly log: SessionLog;
  readonly cols?: number;
  readonly rows?: number;
  /** Where it is counted; one that is shown once to a person needs not be. */
  readonly terminals?: TerminalPool;
}

/** A terminal that follows a log. It is opened when it is needed, and dropped when nothing is written for long. */
export interface Feed {
  /** Draws what stands between `from` and `to`, over what stood before it, and counts only that. */
  draw(file: LogFile, from: number, to: number, abort: AbortSignal, modes?: Modes): Promise<Fed>;
  /** The last bytes that were drawn, by which the log is known again. */
  mark(): string;
  drop(): void;
}

/** How many bytes tell one log from another. */
const MARK = 48;

export function openFeed({ log, cols, rows, terminals }: FeedSettings): Feed {
  const size = { ...(cols === undefined ? {} : { cols }), ...(rows === undefined ? {} : { rows }) };
  let terminal: Terminal | undefined;
  let position = 0;
  let isCut = false;
  let mark: Uint8Array = new Uint8Array(0);

  const drop = () => {
    terminal?.drop();
    terminal = undefined;
    terminals?.gone(holder);
  };
  const holder = { drop };

  const open = async (at: number, modes: Modes | undefined): Promise<Terminal> => {
    drop();
    terminals?.fed(holder);
    const opened = openTerminal(size);
    terminal = opened;
    position = at;
    isCut = at > 0;
    mark = new Uint8Array(0);
    if (isCut && modes !== undefined) await opened.write(preludeOf(modes));
    return opened;
  };

  /** Feeds up to `to`; `undefined` if all went well. */
  const feed = async (into: Terminal, file: LogFile, to: number, abort: AbortSignal) => {
    while (position < to) {
      const got = await log.read(file, position, Math.min(CHUNK, to - position));
      if ("problem" in got) return got;
      if (got.dev !== file.dev || got.ino !== file.ino || got.bytes.length === 0) return MOVED;
      // It may also have been dropped while we waited.
      if (abort.aborted || terminal !== into) return ABORTED;
      await into.write(isCut ? got.bytes.subarray(wholeFrom(got.bytes)) : got.bytes);
      mark = lastOf(mark, got.bytes);
      position += got.bytes.length;
      isCut = false;
    }
    return undefined;
  };

  return {
    async draw(file, from, to, abort, modes) {
      const isFar = to - from > MOST_FED;
      let into = terminal;
      let failed: Fed | undefined;
      if (into !== undefined) terminals?.fed(holder);
      if (into === undefined || position !== from || isFar) {
        into = await open(Math.max(0, isFar ? to - LOOK_BACK : Math.min(from, to - LOOK_BACK)), modes);
        failed = await feed(into, file, from, abort);
        // What was there before is not news; only what follows counts.
        into.look();
      }
      failed ??= await feed(into, file, to, abort);
      if (failed === undefined) return into.look();
      drop();
      return failed;
    },
    mark: () => Buffer.from(mark).toString("base64"),
    drop,
  };
}

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
