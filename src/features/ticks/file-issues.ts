import { setTimeout as wait } from "node:timers/promises";
import { type Millis, SECOND } from "../../core/duration.ts";
import type { IssueDraft } from "../../core/rca/issue.ts";
import type { Filing } from "../../core/tick/report.ts";
import type { Filed, Forge } from "../../ports/forge.ts";
import type { PendingIssues } from "../issues/marked-files.ts";

/** How often one issue is tried, with what pauses; a forge that asks for more patience is left alone until next time. */
const TRIES = 3;
const FIRST_PAUSE: Millis = SECOND / 2;
const LONGEST_PAUSE: Millis = 10 * SECOND;
/** After so many issues in a row that could not be filed, the rest is put off. */
const ENOUGH = 3;
/** Another process of this home files one issue within this, unless the forge hangs. */
const PATIENCE: Millis = 60 * SECOND;
const OTHERS = { outcome: "retry", problem: "another process is filing issues" } as const;

/** Told of an issue that the forge has, before it is no longer pending. */
export type OnFiled = (
  draft: IssueDraft,
  filed: { readonly number: number; readonly url: string },
) => Promise<void>;

/**
 * Files issues one after another. Each is on the disk before the forge hears of it and stays there until the forge has
 * it, so that whatever happens to the forge or to us, the next run goes on.
 */
export class IssueFiler {
  readonly #forge: Forge | { readonly problem: string };
  readonly #pending: PendingIssues;
  readonly #onFiled: OnFiled;
  #failures = 0;

  constructor(
    forge: Forge | { readonly problem: string },
    pending: PendingIssues,
    onFiled: OnFiled = () => Promise.resolve(),
  ) {
    this.#forge = forge;
    this.#pending = pending;
    this.#onFiled = onFiled;
  }

  async file(draft: IssueDraft): Promise<Filing> {
    const unkept = this.#keep(draft);
    const filed = (await this.#pending.alone(PATIENCE, () => this.#try(draft))) ?? OTHERS;
    if ("number" in filed) {
      await this.#onFiled(draft, filed);
      if (unkept === undefined) this.#pending.drop(draft.marker);
      this.#failures = 0;
      return filed;
    }
    this.#failures += 1;
    const problem = unkept === undefined ? filed.problem : `${filed.problem}; and ${unkept}`;
    return { outcome: "failed", problem };
  }

  /** A home that cannot be written keeps nobody from being told; what cannot be kept is said. */
  #keep(draft: IssueDraft): string | undefined {
    try {
      this.#pending.keep(draft);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #try(draft: IssueDraft): Promise<Filed> {
    const forge = this.#forge;
    if ("problem" in forge) return { outcome: "refused", problem: forge.problem };
    if (this.#failures >= ENOUGH)
      return { outcome: "retry", problem: "put off, because the forge did not take the ones before" };
    const tries = this.#failures === 0 ? TRIES : 1;
    for (let i = 1; ; i += 1) {
      const filed = await forge.file(draft);
      if (filed.outcome !== "retry" || i === tries) return filed;
      const pause = Math.max(filed.after ?? 0, FIRST_PAUSE * 2 ** (i - 1));
      if (pause > LONGEST_PAUSE) return filed;
      await wait(pause);
    }
  }
}
