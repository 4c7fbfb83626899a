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
    for (const line of this.#lines()) {
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

  #append(line: StoreEvent | { readonly acknowledgedAt: string }): void {
    const file = openToAppend(this.#file);
    try {
      writeSync(file, `${JSON.stringify(line)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  #lines(): (StoreEvent | { readonly acknowledgedAt: string })[] {
    try {
      return readOwnFile(this.#file, LARGEST).toString("utf8").split("\n").flatMap(parse);
    } catch {
      return [];
    }
  }
}

function parse(line: string) {
  try {
    return [JSON.parse(line) as StoreEvent | { readonly acknowledgedAt: string }];
  } catch {
    // A line that a crash cut short.
    return [];
  }
}
