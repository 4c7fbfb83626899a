import { type Millis, sayDuration } from "../core/duration.ts";
import type { Clock } from "../ports/clock.ts";
import type { LinkState } from "./link.ts";

/** What the config says: after how long, and by which channels of this host. */
export interface CutOffSettings {
  readonly after: Millis;
  readonly tell: readonly string[];
}

export interface CutOffOptions {
  readonly clock: Clock;
  readonly settings: () => CutOffSettings | undefined;
  readonly tell: (to: readonly string[], says: string, isOver: boolean) => void;
}

/**
 * Tells people once that this host cannot reach its hub, because nobody else would tell them what happens here; and once that
 * it can again. It counts the time in which this machine was awake.
 */
export class CutOff {
  readonly #options: CutOffOptions;
  #lostAt: Millis | undefined;
  #told: readonly string[] | undefined;

  constructor(options: CutOffOptions) {
    this.#options = options;
  }

  /** How the last attempt to reach the hub ended. */
  note({ hub, problem = "no answer" }: LinkState): void {
    const { clock, settings, tell } = this.#options;
    if (hub === "in contact") {
      if (this.#told !== undefined) tell(this.#told, "reports to its hub again", true);
      [this.#lostAt, this.#told] = [undefined, undefined];
      return;
    }
    this.#lostAt ??= clock.monotonic();
    const cutOff = settings();
    const lasted = clock.monotonic() - this.#lostAt;
    if (cutOff === undefined || this.#told !== undefined || lasted < cutOff.after) return;
    this.#told = cutOff.tell;
    tell(cutOff.tell, `has not reached its hub for ${sayDuration(lasted)} (${problem})`, false);
  }
}
