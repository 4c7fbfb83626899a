import { join } from "node:path";
import type { Millis } from "../../core/duration.ts";
import type { IssueDraft } from "../../core/rca/issue.ts";
import { lockedWhile } from "../../system/lock.ts";
import { MarkedFiles } from "./marked-files.ts";

/** Issues that are to be filed, kept in the home until the forge has them, so that none is lost with a process. */
export class PendingIssues {
  readonly #files: MarkedFiles<IssueDraft>;
  readonly #lock: string;

  constructor(home: string) {
    this.#files = new MarkedFiles(join(home, "issues-pending"), readDraft);
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
    this.#files.keep(draft);
  }

  drop(marker: string): void {
    this.#files.drop(marker);
  }

  all(): IssueDraft[] {
    return this.#files.all();
  }
}

function readDraft({ marker, title, body, labels }: Partial<IssueDraft>): IssueDraft | undefined {
  if (typeof marker !== "string" || typeof title !== "string" || typeof body !== "string") return undefined;
  return Array.isArray(labels) ? { marker, title, body, labels } : undefined;
}
