import { closeSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, openToAppend, readOwnFile } from "../system/files.ts";
import type { Incarnation } from "../system/proc.ts";
import type { EndOutcome } from "./beat-record.ts";
import { unwritable } from "./error.ts";
import { placeFile } from "./place-file.ts";
import { latestBeat } from "./write-beat.ts";

/**
 * The journal of an agent's newest cycle: `cycles/<agent>.json`. It is on the disk before the work starts and
 * after each change, so that whoever comes next knows what was under way, whatever happened to it.
 */
export interface Journal {
  readonly agent: string;
  readonly cycle: number;
  readonly beganAt: string;
  /** The process that does the work, once it has started, and the one that looks after it. */
  readonly incarnation?: Incarnation;
  readonly wrapper?: Incarnation;
  /** Where their pids count. */
  readonly pidNamespace?: string;
  readonly log?: string;
  readonly recovering?: boolean;
  readonly endedAt?: string;
  readonly outcome?: EndOutcome;
  /** `exit 3`, `signal SIGKILL`, `time-out after 10m`. */
  readonly exit?: string;
}

/** A journal with what the agent said during the cycle: the state that is handed to the next one. */
export interface CycleState extends Journal {
  readonly lastAction?: string;
  readonly lastAt: string;
  /** What `rollcall note` wrote down. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Larger files were not written by us. */
const LARGEST = 16 * 1024 * 1024;

function folderOf(home: string): string {
  return join(home, "cycles");
}

/** Where the journal of an agent's newest cycle is. */
export function journalPath(agent: string, home: string): string {
  return join(folderOf(home), `${agent}.json`);
}

/** Where the state of an agent's last ended cycle is kept for the next one. */
export function lastCyclePath(agent: string, home: string): string {
  return join(folderOf(home), `${agent}.last.json`);
}

function notesPath(agent: string, home: string): string {
  return join(folderOf(home), `.${agent}.notes.jsonl`);
}

export function readJournal(agent: string, home: string): Journal | undefined {
  const read = readJson(journalPath(agent, home)) as Partial<Journal> | null | undefined;
  // A file that something else wrote is no journal.
  return read?.agent === agent && Number.isSafeInteger(read.cycle) && typeof read.beganAt === "string"
    ? (read as Journal)
    : undefined;
}

/** The state of the newest cycle, with its last action and its notes. */
export function readCycleState(agent: string, home: string): CycleState | undefined {
  const journal = readJournal(agent, home);
  return journal === undefined ? undefined : stateOf(journal, home);
}

function stateOf(journal: Journal, home: string): CycleState {
  const beat = latestBeat(journal.agent, home);
  const said = beat?.sentAt !== undefined && beat.sentAt >= journal.beganAt ? beat : undefined;
  return {
    ...journal,
    ...(said?.action === undefined ? {} : { lastAction: said.action }),
    lastAt: said?.sentAt ?? journal.beganAt,
    notes: readNotes(journal.agent, home),
  };
}

/** Writes the journal. When a cycle ends, its state becomes the last cycle's state, and its notes are done. */
export function writeJournal(journal: Journal, home: string): void {
  const folder = folderOf(home);
  try {
    makeFolder(folder);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  if (journal.outcome !== undefined) {
    place(lastCyclePath(journal.agent, home), stateOf(journal, home));
  }
  place(journalPath(journal.agent, home), journal);
  if (journal.outcome !== undefined) rmSync(notesPath(journal.agent, home), { force: true });
}

/** Adds a note to the running cycle: one line, appended in one write, so that several at once do not mix. */
export function writeNote(agent: string, home: string, key: string, value: string): void {
  const path = notesPath(agent, home);
  try {
    makeFolder(folderOf(home));
    const file = openToAppend(path);
    try {
      writeFileSync(file, `${JSON.stringify([key, value])}\n`, { flush: true });
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function readNotes(agent: string, home: string): Record<string, string> {
  const notes: Record<string, string> = {};
  let text = "";
  try {
    text = readOwnFile(notesPath(agent, home), LARGEST).toString("utf8");
  } catch {
    return notes;
  }
  for (const line of text.split("\n")) {
    // A line that a crash cut short is not a note.
    const pair = parse(line);
    if (Array.isArray(pair) && pair.length === 2) notes[String(pair[0])] = String(pair[1]);
  }
  return notes;
}

function place(path: string, value: object): void {
  placeFile(`${path}.${process.pid}.tmp`, path, `${JSON.stringify(value, null, 2)}\n`, true);
}

function readJson(path: string): unknown {
  try {
    return parse(readOwnFile(path, LARGEST).toString("utf8"));
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
