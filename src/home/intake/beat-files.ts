import { rmSync } from "node:fs";
import { join } from "node:path";
import { placeFile } from "../../agent/place-file.ts";
import type { Beat } from "../../core/beat.ts";
import { type Instant, iso, SECOND } from "../../core/duration.ts";
import type { Log } from "../../ports/log.ts";
import { touchedBeat } from "./touched.ts";

/** How long one go of writing may hold up everything else. */
const GO = 20;

/** Takes away the latest beat of an agent, and its touched file unless it was touched after `heardAt`. */
export function forgetBeats(
  folder: string,
  agent: string,
  heardAt: Instant = Number.POSITIVE_INFINITY,
): void {
  rmSync(join(folder, `${agent}.json`), { force: true });
  const touched = touchedBeat(folder, agent, 0);
  if (touched !== undefined && touched.sentAt <= heardAt) rmSync(join(folder, agent), { force: true });
}

/**
 * Keeps `beats/<agent>.json` the latest beat also for those that came by HTTP, so that `rollcall check` can judge
 * with no watcher running. At most once a second per agent, and never long at a time.
 */
export class BeatFiles {
  readonly #folder: string;
  readonly #log: Log;
  readonly #dirty = new Map<string, Beat>();
  readonly #timer: NodeJS.Timeout;
  #complained = false;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
    this.#timer = setInterval(() => this.#write(GO), SECOND);
  }

  /** Notes beats that have been committed. Those from files are in a file already. */
  note(beats: readonly Beat[]): void {
    for (const beat of beats) {
      if (beat.spooled !== true) this.#dirty.set(beat.agent, beat);
    }
  }

  /** An agent was removed: its last beat must not register it again. One that nobody has heard may. */
  forget(agent: string, heardAt?: Instant): void {
    this.#dirty.delete(agent);
    forgetBeats(this.#folder, agent, heardAt);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#write(Number.POSITIVE_INFINITY);
  }

  #write(limit: number): void {
    const began = performance.now();
    for (const [agent, beat] of this.#dirty) {
      this.#dirty.delete(agent);
      this.#writeOne(beat);
      if (performance.now() - began > limit) return;
    }
  }

  #writeOne(beat: Beat): void {
    const temporary = join(this.#folder, `.${beat.agent}.tmp`);
    const { sentAt, receivedAt, ...rest } = beat;
    const shown = { ...rest, sentAt: iso(sentAt), receivedAt: iso(receivedAt) };
    try {
      rmSync(temporary, { force: true });
      placeFile(temporary, join(this.#folder, `${beat.agent}.json`), `${JSON.stringify(shown)}\n`, false);
      this.#complained = false;
    } catch (error) {
      // The beat itself is safe in the store; one complaint is enough.
      if (!this.#complained)
        this.#log.warn({ problem: String(error) }, "beats: cannot write the latest beat");
      this.#complained = true;
    }
  }
}
