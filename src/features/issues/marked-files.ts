import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { placeFile } from "../../agent/place-file.ts";
import { makeFolder, readOwnFile } from "../../system/files.ts";

const LARGEST = 1024 * 1024;

/** Records about issues in a folder of the home, a file for each marker, that several processes share. */
export class MarkedFiles<T extends { readonly marker: string }> {
  readonly #folder: string;
  readonly #read: (value: Partial<T>) => T | undefined;

  /** `read` says what a file holds, or undefined if it is none of ours. */
  constructor(folder: string, read: (value: Partial<T>) => T | undefined) {
    this.#folder = folder;
    this.#read = read;
  }

  has(marker: string): boolean {
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
