import { createHash, randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, readOwnFile } from "../../agent/files.ts";
import { placeFile } from "../../agent/place-file.ts";
import type { Millis } from "../../core/duration.ts";
import type { IssueDraft } from "../../core/rca/issue.ts";
import { lockedWhile } from "../file-lock.ts";

const LARGEST = 1024 * 1024;

/** Issues that are to be filed, kept in the home until the forge has them, so that none is lost with a process. */
export class PendingIssues {
  readonly #folder: string;
  readonly #lock: string;

  constructor(home: string) {
    this.#folder = join(home, "issues-pending");
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

  keep(draft: IssueDraft): void {
    makeFolder(this.#folder);
    const temporary = join(this.#folder, `.${randomBytes(6).toString("hex")}`);
    placeFile(temporary, this.#path(draft.marker), `${JSON.stringify(draft)}\n`, true);
  }

  drop(marker: string): void {
    rmSync(this.#path(marker), { force: true });
  }

  all(): IssueDraft[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      return [];
    }
    return names
      .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
      .flatMap((name) => readDraft(join(this.#folder, name)));
  }

  /** A marker is no file name. */
  #path(marker: string): string {
    return join(this.#folder, `${createHash("sha256").update(marker).digest("hex")}.json`);
  }
}

function readDraft(path: string): IssueDraft[] {
  try {
    const { marker, title, body, labels } = JSON.parse(
      readOwnFile(path, LARGEST).toString("utf8"),
    ) as Partial<IssueDraft>;
    if (typeof marker !== "string" || typeof title !== "string" || typeof body !== "string") return [];
    return Array.isArray(labels) ? [{ marker, title, body, labels }] : [];
  } catch {
    return [];
  }
}
