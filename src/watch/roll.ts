import type { Instant } from "../core/duration.ts";
import { Deadlines } from "./deadlines.ts";
import type { Place } from "./place.ts";

/** Every place on the roll, and when each must be judged again. */
export class Roll {
  readonly places = new Map<string, Place>();
  readonly #slots = new Map<string, number>();
  readonly #owners: (string | undefined)[] = [];
  readonly #deadlines = new Deadlines();
  #unproven = 0;

  /** How many agents registered themselves without proof. */
  get unproven(): number {
    return this.#unproven;
  }

  /** Puts a place in, or in place of what was there; answers when it must be judged again. */
  put(place: Place): Instant {
    const { id } = place.agent;
    let slot = this.#slots.get(id);
    if (slot === undefined) {
      slot = this.#deadlines.take();
      this.#slots.set(id, slot);
      this.#owners[slot] = id;
    }
    this.#count(id, -1);
    this.places.set(id, place);
    this.#count(id, 1);
    const { next } = place.entry.standing.verdict;
    this.#deadlines.set(slot, next);
    return next;
  }

  drop(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#count(id, -1);
    this.#deadlines.release(slot);
    this.#owners[slot] = undefined;
    this.#slots.delete(id);
    this.places.delete(id);
  }

  #count(id: string, change: 1 | -1): void {
    if (this.places.get(id)?.agent.unproven === true) this.#unproven += change;
  }

  /** Calls for everybody whose deadline has passed, and answers when the next one does. */
  due(now: Instant, call: (id: string) => void): Instant {
    return this.#deadlines.scan(now, (slot) => {
      const owner = this.#owners[slot];
      if (owner !== undefined) call(owner);
    });
  }

  /** Everybody is due: our own clocks cannot be trusted to have kept the deadlines right. */
  allDue(): void {
    this.#deadlines.all();
  }
}
