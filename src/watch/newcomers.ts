import { DAY, HOUR, MINUTE, type Millis, sayDuration } from "../core/duration.ts";
import { NEWCOMER_LIMITS } from "../core/newcomer-limits.ts";

/** A roll that is full stays full until somebody acts. */
const FULL: Millis = HOUR;
/** After so long without a refusal the next one is news again. */
const NEWS: Millis = DAY;

export interface Crowded {
  readonly why: string;
  readonly retryAfter: Millis;
}

/**
 * Bounds the agents that register themselves without proof, by a beat without a token or by a ping key. Each costs memory
 * and disk for ever, and a single sender can make up any number of ids.
 */
export class Newcomers {
  limits = NEWCOMER_LIMITS;
  readonly #monotonic: () => Millis;
  #admitted: Millis[] = [];
  #refusedAt: Millis | undefined;
  #listener: (why: string) => void = () => {};

  constructor(monotonic: () => Millis) {
    this.#monotonic = monotonic;
  }

  /** Called with the reason at the first refusal, and then only after a day without one. */
  onCrowded(listener: (why: string) => void): void {
    this.#listener = listener;
  }

  /** Lets so many in beside those on the roll, all of them, or says why not and counts none. */
  refusal(joining: number, onRoll: number): Crowded | undefined {
    const { max, perMinute } = this.limits;
    const now = this.#monotonic();
    this.#admitted = this.#admitted.filter((at) => now - at < MINUTE);
    if (onRoll + joining > max) {
      const there =
        onRoll === 1 ? "1 agent has registered itself" : `${onRoll} agents have registered themselves`;
      const why = `${there} without a token, and autoRegister.max is ${max}`;
      return this.#refuse(why, FULL, now);
    }
    const over = this.#admitted.length + joining - perMinute;
    if (over > 0) {
      const [freed] = this.#admitted.slice(over - 1);
      const retryAfter = freed === undefined ? MINUTE : Math.max(1, MINUTE - (now - freed));
      const why = `more than ${perMinute} agents a minute are registering themselves without a token (autoRegister.perMinute)`;
      return this.#refuse(why, retryAfter, now);
    }
    for (let i = 0; i < joining; i++) this.#admitted.push(now);
    return undefined;
  }

  #refuse(why: string, retryAfter: Millis, now: Millis): Crowded {
    const isNews = this.#refusedAt === undefined || now - this.#refusedAt >= NEWS;
    this.#refusedAt = now;
    if (isNews) this.#listener(why);
    const help = "Send a token, or declare the agent in the config file";
    return { why: `${why}. ${help}, or try again in ${sayDuration(retryAfter)}.`, retryAfter };
  }
}
