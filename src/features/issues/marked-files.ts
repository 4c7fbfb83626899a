import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { placeFile } from "../../agent/place-file.ts";
import type { Instant, Millis } from "../../core/duration.ts";
import type { IssueDraft } from "../../core/rca/issue.ts";
import { makeFolder, readOwnFile } from "../../system/files.ts";
import { lockedWhile } from "../../system/lock.ts";

const LARGEST = 1024 * 1024;

/** Records about issues in a folder of the home, a file for each marker, that several processes share. */
class MarkedFiles<T extends { readonly marker: string }> {
  readonly #folder: string;
  readonly #read: (value: Partial<T>) => T | undefined;

  /** `read` says what a file holds, or undefined if it is none of ours. */
  constructor(folder: string, read: (value: Partial<T>) => T | undefined) {
    this.#folder = folder;
    this.#read = read;
  }

  protected has(marker: string): boolean {
    return existsSync(this.#path(marker));
  }

  keep(record: T): void {
    makeFolder(this.#folder);
    const temporary = join(this.#folder, `.${randomBytes(6).toString("hex")}`);
    placeFile(temporary, this.#path(record.marker), `${JSON.stringify(record)}\n`, true);
  }

  drop(marker: string): void {
    rmSync(this.#path(marker), { force: true });
  }

  all(): T[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      return [];
    }
    return names
      .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
      .flatMap((name) => this.#in(join(this.#folder, name)) ?? []);
  }

  #in(path: string): T | undefined {
    try {
      const value = JSON.parse(readOwnFile(path, LARGEST).toString("utf8")) as Partial<T> | null;
      return value === null ? undefined : this.#read(value);
    } catch {
      return undefined;
    }
  }

  /** A marker is no file name. */
  #path(marker: string): string {
    return join(this.#folder, `${createHash("sha256").update(marker).digest("hex")}.json`);
  }
}

/** Issues that are to be filed, kept in the home until the forge has them, so that none is lost with a process. */
export class PendingIssues extends MarkedFiles<IssueDraft> {
  readonly #lock: string;

  constructor(home: string) {
    super(join(home, "issues-pending"), readDraft);
    this.#lock = join(home, "issues-pending.lock");
  }

  /**
   * Files while no other process of this home does: between looking and creating nobody else may create. Undefined if
   * others filed for too long. A home that cannot be written keeps nobody from filing.
   */
  async alone<T>(patience: Millis, file: () => Promise<T>): Promise<T | undefined> {
    let begun = false;
    const once = () => {
      begun = true;
      return file();
    };
    try {
      return await lockedWhile(this.#lock, patience, once);
    } catch (error) {
      if (begun) throw error;
      return once();
    }
  }
}

function readDraft({ marker, title, body, labels }: Partial<IssueDraft>): IssueDraft | undefined {
  if (typeof marker !== "string" || typeof title !== "string" || typeof body !== "string") return undefined;
  return Array.isArray(labels) ? { marker, title, body, labels } : undefined;
}

/** An issue that a command filed, for the daemon to follow up. */
export interface HandedOver {
  readonly marker: string;
  readonly number: number;
  readonly url: string;
  /** The name of the forge that has it. */
  readonly forge: string;
  readonly at: Instant;
  /** The folder of ticks that the command looked at. */
  readonly ticks: string;
}

/** Issues that `rollcall tick check` filed, kept in the home until the daemon knows of them. */
export class HandedOverIssues extends MarkedFiles<HandedOver> {
  constructor(home: string) {
    super(join(home, "issues-filed"), readHandedOver);
  }

  /** The first word stays: the points of an issue count from when it was filed, not from when it was found again. */
  put(issue: HandedOver): void {
    if (!this.has(issue.marker)) this.keep(issue);
  }
}

function readHandedOver(value: Partial<HandedOver>): HandedOver | undefined {
  const { marker, number, url, forge, at, ticks } = value;
  if (typeof marker !== "string" || typeof url !== "string" || typeof forge !== "string") return undefined;
  if (typeof ticks !== "string" || !Number.isSafeInteger(number) || !Number.isSafeInteger(at))
    return undefined;
  return { marker, number: number ?? 0, url, forge, at: at ?? 0, ticks };
}
