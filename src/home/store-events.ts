import { closeSync, fsyncSync, writeSync } from "node:fs";
import { join } from "node:path";
import { iso } from "../core/duration.ts";
import { openToAppend, readOwnFile } from "../system/files.ts";

/** Something that happened to the database of a home, and that people must know of until they say so. */
export interface StoreEvent {
  readonly code: "store-replaced" | "store-damaged";
  readonly at: string;
  readonly what: string;
  readonly lost: string;
}

type Line = StoreEvent | { readonly acknowledgedAt: string };

const LARGEST = 1024 * 1024;

/** What happened to the database of a home, one line each, so that it can be read with no daemon and no database. */
export class StoreEvents {
  readonly #file: string;

  constructor(home: string) {
    this.#file = join(home, "store-events.jsonl");
  }

  record(event: Omit<StoreEvent, "at">): void {
    this.#append({ ...event, at: iso(Date.now()) });
  }

  /** Those that nobody has acknowledged, oldest first. */
  open(): readonly StoreEvent[] {
    let open: StoreEvent[] = [];
    for (const line of jsonLines(this.#file, LARGEST) as Line[]) {
      if ("acknowledgedAt" in line) open = [];
      else if ("code" in line) open.push(line);
    }
    return open;
  }

  /** Answers how many there were. */
  acknowledge(): number {
    const { length } = this.open();
    if (length > 0) this.#append({ acknowledgedAt: iso(Date.now()) });
    return length;
  }

  #append(line: Line): void {
    const file = openToAppend(this.#file);
    try {
      writeSync(file, `${JSON.stringify(line)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}

/** The lines of a file in JSON Lines. Without the file there are none, and a line that a crash cut short is left out. */
export function jsonLines(file: string, largest: number): unknown[] {
  try {
    return readOwnFile(file, largest).toString("utf8").split("\n").flatMap(parse);
  } catch {
    return [];
  }
}

function parse(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
