import type { Instant, Millis } from "../core/duration.ts";

/** Agents are started again so far apart: after a reboot all of them ask for the processor, the disk and the service at once. */
const APART: Millis = 3000;
/** So many are remembered. */
const MOST = 1000;

/** Gives each incident a turn of its own, one after the other. */
export class Turns {
  readonly #given = new Map<string, Instant>();
  #last: Instant = Number.NEGATIVE_INFINITY;

  /** When it is this one's turn; the same however often it is asked for. */
  of(incident: string, now: Instant): Instant {
    const known = this.#given.get(incident);
    if (known !== undefined) return known;
    // A turn that lies further off than all of them together was given before the clock was set back.
    const next = this.#last + APART;
    const turn = next - now > MOST * APART ? now : Math.max(now, next);
    if (this.#given.size >= MOST) this.#given.clear();
    this.#given.set(incident, turn);
    this.#last = turn;
    return turn;
  }
}
