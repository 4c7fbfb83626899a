import { DAY, type Instant, MINUTE } from "../../core/duration.ts";
import { type StateTimes, timesOfOne, upOf } from "../../core/liveness/state-times.ts";
import type { Store } from "../../ports/store.ts";
import { slices } from "../../service/slices.ts";
import type { RollPlace } from "../../watch/roll-place.ts";

/** Today and the days before it, of which the longest range is made. */
const DAYS = 90;
const RANGES = [7, 30, DAYS] as const;
/** A flip may be dated some hours back: these days are read again each time. */
const UNSETTLED = 2;
/** The store answers others between two questions. */
const AT_ONCE = 25;
/** After so many agents others get their turn. */
const ADDED_UP = 500;
/** So long an answer is given again. */
const FRESH = MINUTE;

/** Of 10,000 parts of the judged time how many it was up, for each range; null if nothing was judged. */
export type Uptimes = readonly (number | null)[];

/** What is known of an agent's days. */
interface Days {
  /** The last day, counted from 1970. */
  newest: number;
  /** How long it was up, and how long it was judged, in milliseconds; of each day in the place of its number modulo `DAYS`. */
  readonly up: Uint32Array;
  readonly judged: Uint32Array;
}

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
  readonly #days = new Map<string, Days>();
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
    const [kept, fresh]: [RollPlace[], RollPlace[]] = [[], []];
    const all = new Map<string, Uptimes>();
    for await (const some of slices(this.#deps.places(), ADDED_UP)) {
      for (const place of some) {
        const newest = this.#days.get(place.agent.id)?.newest ?? 0;
        (newest >= today - UNSETTLED && newest <= today ? kept : fresh).push(place);
        all.set(place.agent.id, []);
      }
    }
    await this.#learn(kept, today - UNSETTLED + 1, now);
    await this.#learn(fresh, today - DAYS + 1, now);
    for await (const some of slices(this.#days, ADDED_UP)) {
      for (const [id, days] of some) {
        if (all.has(id)) all.set(id, sharesOf(days, today));
        else this.#days.delete(id);
      }
    }
    return all;
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
    const days = this.#days.get(id) ?? noDays();
    this.#days.set(id, days);
    for (const [index, part] of parts.entries()) {
      const { up, judged } = upOf([part]);
      days.newest = first + index;
      days.up[days.newest % DAYS] = up;
      days.judged[days.newest % DAYS] = judged;
    }
  }
}

function noDays(): Days {
  return { newest: 0, up: new Uint32Array(DAYS), judged: new Uint32Array(DAYS) };
}

/** The ranges begin with today and contain one another. */
function sharesOf({ up, judged }: Days, today: number): Uptimes {
  const sum = { up: 0, judged: 0, days: 0 };
  return RANGES.map((days) => {
    for (; sum.days < days; sum.days++) {
      const day = (today - sum.days) % DAYS;
      sum.up += up[day] ?? 0;
      sum.judged += judged[day] ?? 0;
    }
    return sum.judged === 0 ? null : Math.floor((sum.up / sum.judged) * 10_000);
  });
}
