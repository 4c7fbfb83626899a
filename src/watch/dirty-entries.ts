import type { Changes } from "../ports/store.ts";
import type { Decided } from "./draft.ts";
import type { RollPlace } from "./roll-place.ts";

/** Entries that are newer than what is written are written at once when there are so many, or so many beats of them. */
const ENTRIES = 1024;
const BEATS = 16_384;

/** Whose entries are newer than what is written. Their beats say it all, so they are written once for many beats. */
export class DirtyEntries {
  readonly #agents = new Set<string>();
  #beats = 0;

  add(agent: string): void {
    this.#agents.add(agent);
  }

  get isFull(): boolean {
    return this.#agents.size >= ENTRIES || this.#beats >= BEATS;
  }

  /** Adds everything else that beats have changed since it was last written. */
  settle(
    decided: Pick<Decided, "entries" | "cycles" | "settled">,
    find: (id: string) => RollPlace | undefined,
    more: ReadonlySet<string> = new Set(),
  ): void {
    const { entries, cycles } = decided;
    const written = new Set(entries.map(({ agent }) => agent));
    for (const id of new Set([...this.#agents, ...more])) {
      const place = find(id);
      if (place === undefined) continue;
      if (!written.has(id)) entries.push(place.entry);
      if (place.cycle !== undefined) cycles.push(place.cycle);
    }
    decided.settled = true;
  }

  /** Notes what a commit has left unwritten. */
  committed(changes: Changes, unsaved: ReadonlySet<string>): void {
    if (changes.settled === true) {
      this.#agents.clear();
      this.#beats = 0;
      return;
    }
    for (const id of unsaved) this.#agents.add(id);
    this.#beats += changes.beats?.length ?? 0;
  }
}
