import type { Instant } from "../../core/duration.ts";
import type { LocalFile } from "../../session-log/template.ts";
import type { LogMemory } from "./memory.ts";

/** Of each: its device, its number there, its size, its time, and the mounts under which it is local. */
const WIDTH = 5;

/**
 * The logs of a fleet that rest, as they were when they were last looked at. Thousands are asked in a row, and then what
 * costs is to fetch what lies apart in memory: so all of it lies side by side.
 */
export class StillLogs {
  readonly #files: LocalFile["files"][] = [];
  readonly #paths: string[] = [];
  readonly #free: number[] = [];
  #facts = new Float64Array(64 * WIDTH);

  /** Keeps one, and says by which number it is asked for. */
  keep({ dev, ino, size, modifiedAt }: LogMemory, { path, files, version }: LocalFile): number {
    const slot = this.#free.pop() ?? this.#paths.length;
    this.#paths[slot] = path;
    this.#files[slot] = files;
    if (this.#facts.length < (slot + 1) * WIDTH) {
      const larger = new Float64Array(this.#facts.length * 2);
      larger.set(this.#facts);
      this.#facts = larger;
    }
    this.#facts.set([dev, ino, size, modifiedAt, version], slot * WIDTH);
    return slot;
  }

  release(slot: number): void {
    this.#free.push(slot);
  }

  /** Same file, same size, same time, and the way to it leads nowhere else: nothing was written. */
  isStill(slot: number, now: Instant): boolean {
    const files = this.#files[slot];
    const facts = this.#facts;
    const at = slot * WIDTH;
    if (files === undefined || files.version(now) !== facts[at + 4]) return false;
    const stat = files.stat(this.#paths[slot] ?? "");
    if (stat === undefined || stat.size !== facts[at + 2]) return false;
    return Math.floor(stat.mtimeMs) === facts[at + 3] && stat.ino === facts[at + 1] && stat.dev === facts[at];
  }
}
