import type { Instant } from "../core/duration.ts";
import { Deadlines } from "./deadlines.ts";
import type { RollPlace } from "./roll-place.ts";

const NOBODY: ReadonlySet<string> = new Set();

/** Every place on the roll, and when each must be judged again. */
export class Roll {
  readonly places = new Map<string, RollPlace>();
  readonly #deadlines = new Deadlines();
  /** The agents of each other host. */
  readonly #ofHost = new Map<string, Set<string>>();
  #unproven = 0;

  /** How many agents registered themselves without proof. */
  get unproven(): number {
    return this.#unproven;
  }

  /** Puts a place in, or in place of what was there; answers when it must be judged again. */
  put(place: RollPlace): Instant {
    const { id } = place.agent;
    this.#count(id, -1);
    this.places.set(id, place);
    this.#count(id, 1);
    const { host } = place.agent;
    if (host !== undefined) this.#ofHost.set(host, (this.#ofHost.get(host) ?? new Set()).add(id));
    const { next } = place.entry.standing.verdict;
    this.#deadlines.set(id, next);
    return next;
  }

  drop(id: string): void {
    this.#count(id, -1);
    this.#deadlines.delete(id);
    const host = this.places.get(id)?.agent.host;
    if (host !== undefined) this.#ofHost.get(host)?.delete(id);
    this.places.delete(id);
  }

  /** The agents that another host judges. */
  ofHost(host: string): ReadonlySet<string> {
    return this.#ofHost.get(host) ?? NOBODY;
  }

  #count(id: string, change: 1 | -1): void {
    if (this.places.get(id)?.agent.unproven === true) this.#unproven += change;
  }

  /** Calls for everybody whose deadline has passed, and answers when the next one does. */
  due(now: Instant, call: (id: string) => void): Instant {
    return this.#deadlines.scan(now, call);
  }

  /** Everybody is due: our own clocks cannot be trusted to have kept the deadlines right. */
  allDue(): void {
    this.#deadlines.all();
  }
}
