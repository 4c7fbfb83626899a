/** What an import makes of another program's file. It is plain data: the command prints or writes it. */
export interface Imported {
  /** The config as its file has it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Lines for the crontab, where cron wakes something. */
  readonly wakes: readonly Wake[];
  /** Old lines, processes or monitors that the config replaces. */
  readonly canGo: readonly OldLine[];
  /** What the config cannot say, and why. */
  readonly notCarried: readonly string[];
  /** What a person has to do besides: secrets to set, addresses to change. */
  readonly todo: readonly string[];
}

/** One line of the new crontab. */
export interface Wake {
  /** Whose block it stands in, so that `rollcall uninstall` finds it. */
  readonly block: `agent ${string}` | "ticks";
  readonly schedule: string;
  /** The user column of a system crontab. */
  readonly user?: string;
  /** The arguments of `rollcall`. */
  readonly args: readonly string[];
  /** Old jobs keep the environment that cron gives them; new ones get the PATH of the shell that imports. */
  readonly environment: "as before" | "of this shell";
  /** The line of the old crontab that it stands for, from 0; otherwise it goes to the end. */
  readonly replaces?: number;
}

export interface OldLine {
  readonly text: string;
  /** Its line in the crontab, from 0; other programs have no lines. */
  readonly line?: number;
  /** The agent that replaces it, where it goes only with that agent. */
  readonly agent?: string;
}

/** The file is not what it was said to be. The sentence names what was expected. */
export class ImportError extends Error {
  readonly code = "bad-import";

  constructor(message: string) {
    super(message);
    this.name = "ImportError";
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses an export, or says what it should have been. */
export function parseJson(text: string, file: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ImportError(`${file} is not JSON; expected ${expected}`);
  }
}

/** A text that is there and not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** A length in milliseconds from one in seconds, if it is one that makes sense: up to a year, as in Healthchecks. */
export function secondsOf(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 1 && value <= YEAR)) return undefined;
  return Math.round(value * 1000);
}

const YEAR = 31_536_000;
