import type { Instant } from "../core/duration.ts";
import { Deadlines } from "./deadlines.ts";
import type { Place } from "./place.ts";

/** Every place on the roll, and when each must be judged again. */
export class Roll {
  readonly places = new Map<string, Place>();
  readonly #deadlines = new Deadlines();

  /** Puts a place in, or in place of what was there; answers when it must be judged again. */
  put(place: Place): Instant {
    const { id } = place.agent;
    this.places.set(id, place);
    const { next } = place.entry.standing.verdict;
    this.#deadlines.set(id, next);
    return next;
  }

  drop(id: string): void {
    this.#deadlines.delete(id);
    this.places.delete(id);
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
