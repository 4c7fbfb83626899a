import xterm, { type IBufferLine } from "@xterm/headless";
import { drawnFocus, type Focus, type FocusCell, plainGround } from "../../core/screen/focus.ts";
import { blankScreen, type Screen } from "../../core/screen/screen.ts";
import { Harmless } from "./harmless.ts";

/** What was written to a terminal since it was last looked at, and what it shows now. */
type Look = { screen: Screen; bytes: number; scrolled: number };

export type Terminal = {
  readonly cols: number;
  readonly rows: number;
  /** Feeds raw bytes; a chunk may end inside an escape sequence or a character. Resolves when they are drawn. */
  write(chunk: Uint8Array): Promise<void>;
  /** The screen now. While nothing is written, the very same object is returned and nothing is rendered. */
  look(): Look;
  /** Forgets everything, for another log. Nothing of what was written before shows in what is drawn afterwards. */
  reset(): Promise<void>;
  /** Frees the memory. A dropped terminal can be replaced by a new one fed with the log's tail. */
  drop(): void;
};

export type TerminalOptions = { cols?: number; rows?: number };

/** The size of a terminal of which none is known. */
export const [COLS, ROWS] = [120, 40];

/** A terminal costs about a megabyte, so nothing is kept that is no longer on the screen. */
const scrollback = 0;

/** Ends whatever sequence or character was left unfinished (CAN); then the emulator's own reset (RIS), which includes its parser. */
const wholeReset = Uint8Array.of(0x18, 0x1b, 0x63);

const bracketedPaste = /(?:^|;)2004(?:;|$)/;
const cursorShown = /(?:^|;)25(?:;|$)/;
const maxNote = 200;

/** A headless terminal emulator that turns the bytes of `tmux pipe-pane` into screens. */
export function openTerminal({ cols = COLS, rows = ROWS }: TerminalOptions = {}): Terminal {
  const term = new xterm.Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: "off" });
  let harmless = new Harmless(cols, rows);
  const notes = { title: "", code: "", progress: false, hidden: false, paste: false };
  // Where no terminal was in between, as in the log of a service, lines end without a carriage return; a meter may use one alone.
  let hasReturns = false;
  let endsInReturn = false;
  let bytes = 0;
  let scrolled = 0;
  let screen = blankScreen();
  let changed = true;

  const onMode = (params: (number | number[])[], on: boolean) => {
    const list = params.join(";");
    if (cursorShown.test(list)) notes.hidden = !on;
    if (bracketedPaste.test(list)) notes.paste = on;
    // The emulator itself has to see the sequence too.
    return false;
  };
  term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (params) => onMode(params, true));
  term.parser.registerCsiHandler({ prefix: "?", final: "l" }, (params) => onMode(params, false));
  term.parser.registerOscHandler(7501, (data) => {
    notes.code = data.slice(0, maxNote);
    return true;
  });
  term.parser.registerOscHandler(9, (data) => {
    if (data.startsWith("4;")) notes.progress = !data.startsWith("4;0");
    return true;
  });
  // The emulator keeps every link of a screen that does not scroll. Nobody asks for links here.
  term.parser.registerOscHandler(8, () => true);
  term.onTitleChange((title) => {
    notes.title = title.slice(0, maxNote);
  });
  term.onScroll(() => {
    scrolled += 1;
  });

  const returned = (chunk: Uint8Array): Uint8Array => {
    if (hasReturns || chunk.length === 0) return chunk;
    const text = Buffer.from(chunk).toString("latin1");
    const isCut = endsInReturn && text.startsWith("\n");
    endsInReturn = text.endsWith("\r");
    const at = isCut ? 0 : text.indexOf("\r\n");
    hasReturns = at >= 0;
    const plain = hasReturns ? text.slice(0, at) : text;
    return plain.includes("\n")
      ? Buffer.from(plain.replaceAll("\n", "\r\n") + text.slice(plain.length), "latin1")
      : chunk;
  };

  /** The emulator puts drawing off by a timer, a millisecond at least, except after a person's input. An empty one is no key. */
  const draw = (chunk: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      term.input("");
      term.write(chunk, resolve);
    });

  const focus = (): Focus | null => {
    const buffer = term.buffer.active;
    if (!notes.hidden) return { x: buffer.cursorX, y: buffer.cursorY };
    const rows: FocusCell[][] = [];
    for (let y = 0; y < term.rows; y += 1) rows.push(cellsOf(buffer.getLine(buffer.baseY + y)));
    return drawnFocus(rows);
  };

  const render = (): Screen => {
    const buffer = term.buffer.active;
    const lines: string[] = [];
    for (let y = 0; y < term.rows; y += 1) {
      lines.push(buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? "");
    }
    return {
      rows: lines,
      cursor: { x: buffer.cursorX, y: buffer.cursorY, hidden: notes.hidden },
      focus: focus(),
      title: notes.title,
      code: notes.code,
      progress: notes.progress,
      alternate: buffer.type === "alternate",
      paste: notes.paste,
    };
  };

  return {
    ...{ cols, rows },
    write(chunk) {
      if (chunk.length === 0) return Promise.resolve();
      bytes += chunk.length;
      changed = true;
      return draw(harmless.of(returned(chunk)));
    },
    look() {
      if (changed) screen = render();
      changed = false;
      const look = { screen, bytes, scrolled };
      bytes = 0;
      scrolled = 0;
      return look;
    },
    async reset() {
      await draw(wholeReset);
      harmless = new Harmless(cols, rows);
      Object.assign(notes, { title: "", code: "", progress: false, hidden: false, paste: false });
      [bytes, scrolled, changed] = [0, 0, true];
      [hasReturns, endsInReturn] = [false, false];
    },
    drop() {
      term.dispose();
    },
  };
}

const reversed = -2;

/** The cells of a row by their background; the reverse of text is one too. */
function cellsOf(line: IBufferLine | undefined): FocusCell[] {
  const cells: FocusCell[] = [];
  for (let x = 0; x < (line?.length ?? 0); x += 1) {
    const cell = line?.getCell(x);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const ground = cell.isInverse() ? reversed : cell.isBgDefault() ? plainGround : cell.getBgColor();
    cells.push({ x, text: cell.getChars(), ground });
  }
  return cells;
}
