import type { Instant } from "../core/duration.ts";
import type { Observation, Signal } from "../core/liveness/observation.ts";
import type { Machine } from "../core/screen/machine.ts";

/** The pane or log that somebody wants to see is not there: which, and where to look. */
export class NothingToShow extends Error {
  readonly code = "nothing-to-see";
}

/** By its code: it may come from another bundle, which has a class of its own. */
export function isNothingToShow(error: unknown): error is NothingToShow {
  return error instanceof Error && "code" in error && error.code === "nothing-to-see";
}

/** A terminal as it was at the last look. */
export interface TerminalSeen {
  readonly cols: number;
  readonly rows: number;
  readonly machine?: Machine;
}

/** The circumstances of one look. */
export interface Look {
  readonly now: Instant;
  /** Ends the look when its time is over. */
  readonly abort: AbortSignal;
  /** Tell all that is known even if nothing changed: we have not watched for a while. */
  readonly fresh: boolean;
}

/**
 * A source of facts about one agent that leaves traces. It looks when asked, once a round, and says only what is new:
 * what did not change costs next to nothing. What it cannot read is a `degraded` fact, never an error and never a death.
 */
export interface SignalReader {
  readonly signal: Signal;
  look(look: Look): Promise<readonly Observation[]>;
  /**
   * True if a look would surely find nothing new, so that none is needed. It is asked of thousands in a row, so it
   * may cost a question that cannot hang, and nothing more; in doubt it is false.
   */
  glance?(now: Instant): boolean;
  /** What it needs to go on after a restart, as plain data; given back to it when it is made. */
  memory?(): unknown;
  /** When what it looks at last wrote something, as far as that is known. */
  wroteAt?(): Instant | undefined;
  /** The size of its terminal, and what the machine told of it at the last look, as far as that is known. */
  terminal?(): TerminalSeen | undefined;
  /** What a person would see: the rendered screen or the tail, or the raw bytes. Throws NothingToShow if nothing is there. */
  show?(how: "screen" | "raw"): Promise<string>;
  close(): void;
}
