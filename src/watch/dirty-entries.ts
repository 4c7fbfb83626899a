import type { Millis } from "../core/duration.ts";
import type { Clock } from "../ports/clock.ts";
import type { Changes } from "../ports/store.ts";
import type { Decided } from "./draft.ts";
import type { RollPlace } from "./roll-place.ts";

/** Entries that are newer than what is written are written at once when there are so many, or so many beats of them. */
const ENTRIES = 1024;
const BEATS = 16_384;

/** Whose entries are newer than what is written. Beats are durable and replayable, so entries are flushed in batches. */
export class DirtyEntries {
  readonly #agents = new Set<string>();
  #beats = 0;
  readonly #clock: Clock;
  readonly #every: Millis;
  #flushedAt: Millis;

  constructor(clock: Clock, every: Millis) {
    this.#clock = clock;
    this.#every = every;
    this.#flushedAt = clock.monotonic();
  }

  get agents(): Iterable<string> {
    return this.#agents;
  }

  add(agent: string): void {
    this.#agents.add(agent);
  }

  /** Whether it is time to write them. */
  get isDue(): boolean {
    if (this.#agents.size >= ENTRIES || this.#beats >= BEATS) return true;
    return this.#clock.monotonic() - this.#flushedAt >= this.#every;
  }

  /** Adds everything else that beats have changed since it was last written. */
  flush(
    decided: Pick<Decided, "entries" | "cycles" | "flushed">,
    find: (id: string) => RollPlace | undefined,
    more: ReadonlySet<string> = new Set(),
  ): void {
    this.#flushedAt = this.#clock.monotonic();
    const { entries, cycles } = decided;
    const written = new Set(entries.map(({ agent }) => agent));
    for (const id of new Set([...this.#agents, ...more])) {
      const place = find(id);
      if (place === undefined) continue;
      if (!written.has(id)) entries.push(place.entry);
      if (place.cycle !== undefined) cycles.push(place.cycle);
    }
    decided.flushed = true;
  }

  /** Notes what a commit has left unwritten. */
  committed(changes: Changes, dirty: ReadonlySet<string>): void {
    if (changes.flushed === true) {
      this.#agents.clear();
      this.#beats = 0;
      return;
    }
    for (const id of dirty) this.#agents.add(id);
    this.#beats += changes.beats?.length ?? 0;
  }
}
