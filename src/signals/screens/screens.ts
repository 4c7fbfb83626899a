import type { Observation, Signal } from "../../core/liveness/observation.ts";
import type { Packs } from "../../core/screen/rule.ts";
import type { Frame, Screen } from "../../core/screen/screen.ts";
import { readScreen, type ScreenMemory } from "./screen-reading.ts";
import { SpareTerminals } from "./spare-terminals.ts";
import type { Terminal } from "./terminal.ts";
import { TerminalPool } from "./terminal-pool.ts";

/**
 * A screen that could not be drawn or read within the limits of a look: which limit, in a sentence. `isBusy` means that the
 * machine was too busy, not that this screen costs too much.
 */
export class ScreenProblem extends Error {
  readonly isBusy: boolean;

  constructor(message: string, isBusy = false) {
    super(message);
    this.isBusy = isBusy;
  }
}

/** Bytes to draw on a terminal, which is known by its number. */
export interface Drawing {
  readonly terminal: number;
  /** A new terminal of this size. Without it, the terminal must be there. */
  readonly open?: { readonly cols?: number; readonly rows?: number };
  /** What stood there before: it is drawn, but it is not news. */
  readonly before: Uint8Array;
  readonly bytes: Uint8Array;
}

export interface Drawn {
  readonly screen: Screen;
  readonly bytes: number;
  readonly scrolled: number;
}

/** A screen to read, by somebody who remembers this. */
export interface ToRead {
  readonly signal: Signal;
  readonly memory: ScreenMemory;
  readonly frame: Frame;
  readonly fresh: boolean;
}

export interface WasRead {
  readonly facts: readonly Observation[];
  readonly memory: ScreenMemory;
}

/** Draws and reads screens. */
export interface Screens {
  /** Zone of times of day that a screen shows without one. */
  readonly zone: string;
  /** Undefined if the terminal is not there any more: it must be opened and drawn again. */
  draw(drawing: Drawing, abort?: AbortSignal): Promise<Drawn | undefined>;
  read(toRead: ToRead, abort?: AbortSignal): Promise<WasRead>;
  /** The terminal is not needed any more. */
  drop(terminal: number): void;
}

/** More text than this for each cell of a screen: somebody piles marks on one character. */
const MOST_A_CELL = 4;

/** Draws and reads at once, without a limit of time. The product asks a thread that does this: see `ScreenThread`. */
export function openScreens(packs: Packs, zone: string, pool = new TerminalPool()): Screens {
  const held = new Map<number, Terminal & { readonly drop: () => void }>();
  const spares = new SpareTerminals();

  const open = (id: number, size: NonNullable<Drawing["open"]>): Terminal => {
    held.get(id)?.drop();
    const terminal = spares.open(size);
    const holder = {
      ...terminal,
      drop() {
        held.delete(id);
        pool.gone(holder);
        spares.give(terminal);
      },
    };
    held.set(id, holder);
    return holder;
  };

  return {
    zone,
    async draw({ terminal: id, open: size, before, bytes }) {
      if (size !== undefined) open(id, size);
      const terminal = held.get(id);
      if (terminal === undefined) return undefined;
      pool.fed(terminal);
      if (before.length > 0) {
        await terminal.write(before);
        terminal.look();
      }
      await terminal.write(bytes);
      const drawn = terminal.look();
      const { rows } = drawn.screen;
      const cells = rows.length * terminal.cols;
      // Its tail is drawn anew at the next look, so that nothing piles up for longer.
      if (rows.reduce((sum, row) => sum + row.length, 0) > cells * MOST_A_CELL) terminal.drop();
      return drawn;
    },
    async read({ signal, memory, frame, fresh }) {
      const means = { signal, packs, zone };
      try {
        return { facts: readScreen(memory, frame, fresh, means), memory };
      } catch (error) {
        // Only a memory that is not ours can do this; without one, it is an error of the reader's.
        if (memory.reader === undefined) throw error;
        const anew: ScreenMemory = {};
        return { facts: readScreen(anew, frame, fresh, means), memory: anew };
      }
    },
    drop(id) {
      held.get(id)?.drop();
    },
  };
}
