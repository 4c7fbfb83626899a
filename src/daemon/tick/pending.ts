import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { placeFile } from "../../agent/place-file.ts";
import type { IssueDraft } from "../../core/rca/issue.ts";

/** Issues that are to be filed, kept in the home until the forge has them, so that none is lost with a process. */
export class PendingIssues {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, "issues-pending");
  }

  keep(draft: IssueDraft): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
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
    const { marker, title, body, labels } = JSON.parse(readFileSync(path, "utf8")) as Partial<IssueDraft>;
    if (typeof marker !== "string" || typeof title !== "string" || typeof body !== "string") return [];
    return Array.isArray(labels) ? [{ marker, title, body, labels }] : [];
  } catch {
    return [];
  }
}
