import { DAY, type Instant, MINUTE } from "../../core/duration.ts";
import { type StateTimes, timesOfOne, upOf } from "../../core/liveness/state-times.ts";
import type { Store } from "../../ports/store.ts";
import type { RollPlace } from "../../watch/roll-place.ts";

/** Today and the days before it, of which the longest range is made. */
const DAYS = 90;
const RANGES = [7, 30, DAYS] as const;
/** A flip may be dated some hours back: these days are read again each time. */
const UNSETTLED = 2;
/** The store answers others between two questions. */
const AT_ONCE = 25;
/** So long an answer is given again. */
const FRESH = MINUTE;

type Share = ReturnType<typeof upOf>;
/** Of 10,000 parts of the judged time how many it was up, for each range; null if nothing was judged. */
export type Uptimes = readonly (number | null)[];

interface UptimeDeps {
  readonly store: Pick<Store, "stateTimes">;
  readonly places: () => Iterable<RollPlace>;
  readonly now: () => Instant;
}

/**
 * The uptime of all agents over 7, 30 and 90 days, days being those of UTC. Days that are over are added up once and kept:
 * what a page asks for costs the flips of two days, not those of ninety.
 */
export class UptimeBook {
  readonly #deps: UptimeDeps;
  /** Of each agent the share of each day, by the number of the day. */
  readonly #days = new Map<string, Map<number, Share>>();
  #read: { readonly at: Instant; readonly all: Promise<ReadonlyMap<string, Uptimes>> } | undefined;

  constructor(deps: UptimeDeps) {
    this.#deps = deps;
  }

  uptimes(): Promise<ReadonlyMap<string, Uptimes>> {
    const now = this.#deps.now();
    if (this.#read === undefined || Math.abs(now - this.#read.at) > FRESH) {
      const all = this.#readAll(now);
      this.#read = { at: now, all };
      all.catch(() => {
        this.#read = undefined;
      });
    }
    return this.#read.all;
  }

  async #readAll(now: Instant): Promise<ReadonlyMap<string, Uptimes>> {
    const today = Math.floor(now / DAY);
    const places = [...this.#deps.places()];
    const known = new Set(places.map(({ agent }) => agent.id));
    for (const id of this.#days.keys()) if (!known.has(id)) this.#days.delete(id);
    const isKept = ({ agent }: RollPlace) => this.#days.get(agent.id)?.has(today - UNSETTLED) === true;
    await this.#learn(places.filter(isKept), today - UNSETTLED + 1, now);
    await this.#learn(
      places.filter((place) => !isKept(place)),
      today - DAYS + 1,
      now,
    );
    return new Map([...known].map((id) => [id, RANGES.map((days) => this.#share(id, today, days))]));
  }

  async #learn(places: readonly RollPlace[], first: number, now: Instant): Promise<void> {
    const cuts = { from: first * DAY, until: now, width: DAY };
    for (let i = 0; i < places.length; i += AT_ONCE) {
      const some = places.slice(i, i + AT_ONCE);
      const found = await this.#deps.store.stateTimes(
        some.map(({ agent }) => agent.id),
        cuts,
      );
      some.forEach(({ agent, entry }, index) => {
        const { verdict, since } = entry.standing;
        this.#note(agent.id, first, found[index] ?? timesOfOne(verdict.state, since, cuts));
      });
    }
  }

  #note(id: string, first: number, parts: readonly StateTimes[]): void {
    const days = this.#days.get(id) ?? new Map<number, Share>();
    this.#days.set(id, days);
    for (const [index, part] of parts.entries()) days.set(first + index, upOf([part]));
    for (const day of days.keys()) if (day < first + parts.length - DAYS) days.delete(day);
  }

  #share(id: string, today: number, count: number): number | null {
    let [up, judged] = [0, 0];
    for (const [day, share] of this.#days.get(id) ?? []) {
      if (day <= today - count) continue;
      up += share.up;
      judged += share.judged;
    }
    return judged === 0 ? null : Math.floor((up / judged) * 10_000);
  }
}
