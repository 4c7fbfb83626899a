import { type Instant, MINUTE, type Millis } from "../../core/duration.ts";
import type { Trouble } from "../../ports/forge.ts";

/** How long something that failed is left alone, at first and at most. */
const FIRST_REST: Millis = MINUTE;
const LAST_REST: Millis = 30 * MINUTE;
/** After so many failures in a row the forge is left alone, as it is when it asks for that; not for ever. */
const ENOUGH = 3;
const LONGEST_REST: Millis = 60 * MINUTE;

interface Failed {
  readonly at: Instant;
  readonly until: Instant;
  readonly times: number;
  readonly problem: string;
}

/**
 * What could not be done at the forge, and when it is tried again. One thing that fails keeps no other from being done;
 * a forge that fails is left alone.
 */
export class Attempts {
  readonly #failed = new Map<string, Failed>();
  #rest: Omit<Failed, "times"> | undefined;
  #inARow = 0;

  /** What is wrong, as long as it is. */
  get problems(): readonly string[] {
    if (this.#rest === undefined && this.#failed.size === 0) return [];
    const rest = this.#rest === undefined ? [] : [this.#rest.problem];
    return [...new Set([...rest, ...[...this.#failed.values()].map(({ problem }) => problem)])];
  }

  /** Another run begins. */
  begin(now: Instant): void {
    if (this.#rest !== undefined && isOver(this.#rest, now)) this.#rest = undefined;
    this.#inARow = 0;
  }

  /** Forgets what is not to be done any more. */
  forget(isGone: (key: string) => boolean): void {
    for (const key of this.#failed.keys()) if (isGone(key)) this.#failed.delete(key);
  }

  /** Does something unless it is too early to try again; whether it was done. */
  async try(key: string, now: Instant, act: () => Promise<Trouble | undefined>): Promise<boolean> {
    const before = this.#failed.get(key);
    if (this.#rest !== undefined || (before !== undefined && !isOver(before, now))) return false;
    const trouble = await act();
    if (trouble === undefined) {
      this.#failed.delete(key);
      this.#inARow = 0;
      return true;
    }
    const times = (before?.times ?? 0) + 1;
    const rest = Math.min(FIRST_REST * 2 ** (times - 1), LAST_REST);
    this.#failed.set(key, { at: now, until: now + rest, times, problem: trouble.problem });
    if (trouble.outcome === "retry") this.#leaveAlone(trouble, now);
    return false;
  }

  #leaveAlone({ after = 0, problem }: Trouble & { readonly outcome: "retry" }, now: Instant): void {
    this.#inARow += 1;
    if (after === 0 && this.#inARow < ENOUGH) return;
    this.#rest = { at: now, until: now + Math.min(Math.max(after, FIRST_REST), LONGEST_REST), problem };
  }
}

/** Before the moment at which it failed we can only be because the clock was set back: then nobody knows, and it is tried. */
function isOver({ at, until }: Pick<Failed, "at" | "until">, now: Instant): boolean {
  return now >= until || now < at;
}
