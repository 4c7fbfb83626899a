import { type FSWatcher, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Beat } from "../../core/beat.ts";
import { readBeat, sayProblem } from "../../core/beat-input.ts";
import { HOUR, type Instant, type Millis, SECOND } from "../../core/duration.ts";
import type { Log } from "../../ports/log.ts";
import { makeFolder, readOwnFile } from "../../system/files.ts";
import { watchFolder } from "./watch-folder.ts";

/** Larger files were not written by us. */
export const LARGEST_BEAT = 256 * 1024;
/** A file without an end is not touched for so long after its last change. */
const UNDER_WAY: Millis = 5 * SECOND;
const LINE_END = 0x0a;
/** For so long people are shown why a beat was refused. */
const SHOWN: Millis = HOUR;
/** How many files are taken into one commit. */
const BATCH = 512;

export interface SpoolOptions {
  readonly folder: string;
  readonly accept: (beats: readonly Beat[]) => Promise<void>;
  /** Whether an error means that these beats can never be accepted, rather than not now. */
  readonly isFinal: (error: unknown) => boolean;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** Why a beat was refused, such as that its agent is of another host. */
export interface RefusedBeat {
  readonly at: Instant;
  readonly why: string;
}

/**
 * Takes up the beats that wait as files. A file goes only after its beat has been committed or refused; taken up twice
 * (we died in between) it is recorded once, by its id. What cannot be read is moved to `bad/` and reported,
 * never deleted.
 */
export class Spool {
  readonly #options: SpoolOptions;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;
  #again = false;
  #refused: RefusedBeat | undefined;
  /** Files that are not beats and cannot be moved. */
  readonly #stuck = new Set<string>();

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Takes up what waits, then whatever comes. */
  async start(): Promise<void> {
    await this.take();
    this.#watcher = watchFolder(
      this.#options.folder,
      () => void this.take(),
      (problem) => this.#options.log.warn({ problem }, "spool: cannot watch"),
    );
    // Notifications can be lost; a look each second costs next to nothing.
    this.#timer = setInterval(() => void this.take(), SECOND);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#watcher?.close();
    await this.#taking;
  }

  /** How many files lie aside because they could not be read. */
  bad(): number {
    try {
      return readdirSync(join(this.#options.folder, "bad")).length;
    } catch {
      return 0;
    }
  }

  /** The last beat that was refused lately. */
  refused(): RefusedBeat | undefined {
    const { now } = this.#options;
    return this.#refused !== undefined && Math.abs(now() - this.#refused.at) < SHOWN
      ? this.#refused
      : undefined;
  }

  /** Takes up all that waits. Calls while it runs make it look once more. */
  take(): Promise<void> {
    this.#again = true;
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #takeAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      const names = this.#waiting();
      for (let i = 0; i < names.length; i += BATCH) {
        if (!(await this.#takeBatch(names.slice(i, i + BATCH)))) return;
      }
    }
  }

  #waiting(): string[] {
    try {
      return readdirSync(this.#options.folder)
        .filter((name) => name.endsWith(".json") && !name.startsWith("."))
        .sort();
    } catch (error) {
      this.#options.log.error({ problem: String(error) }, "spool: cannot be listed");
      return [];
    }
  }

  /** False if nothing can be stored now: then the rest waits for the next look. */
  async #takeBatch(names: readonly string[]): Promise<boolean> {
    const found = names.flatMap((name) => {
      const beat = this.#read(name);
      return beat === undefined ? [] : [{ name, beat }];
    });
    if (found.length === 0) return true;
    try {
      await this.#options.accept(found.map(({ beat }) => beat));
    } catch (error) {
      if (!this.#options.isFinal(error)) return false;
      // One that can never be accepted must not hold up the others.
      if (found.length > 1) {
        for (const { name } of found) if (!(await this.#takeBatch([name]))) return false;
        return true;
      }
      for (const { name } of found)
        this.#refuse(name, error instanceof Error ? error.message : String(error));
      return true;
    }
    for (const { name } of found) this.#drop(name);
    return true;
  }

  /** It is a beat and was read, so that nothing is lost that anybody could mend. */
  #refuse(name: string, why: string): void {
    const { log, now } = this.#options;
    log.warn({ problem: why }, "spool: refused a beat");
    this.#refused = { at: now(), why };
    this.#drop(name);
  }

  /** A file that stays is taken up again, and recorded once, by its id. */
  #drop(name: string): void {
    const file = join(this.#options.folder, name);
    try {
      rmSync(file, { force: true });
    } catch (error) {
      this.#options.log.error({ file, problem: String(error) }, "spool: cannot remove a file");
    }
  }

  #read(name: string): Beat | undefined {
    const file = join(this.#options.folder, name);
    let bytes: Buffer;
    try {
      bytes = readOwnFile(file, LARGEST_BEAT);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      return this.#setAside(name, error instanceof Error ? error.message : String(error));
    }
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      return this.#isUnderWay(name, bytes) ? undefined : this.#setAside(name, "not JSON in UTF-8");
    }
    const { now, newId } = this.#options;
    const read = readBeat(value, { receivedAt: now(), newId, spooled: true });
    return "beat" in read ? read.beat : this.#setAside(name, sayProblem(read.problem));
  }

  /**
   * Whether the rest of it may still come: `rollcall-beat` writes a file in its place, in one line. No half of an object is
   * JSON, so that a half is never taken for the whole.
   */
  #isUnderWay(name: string, bytes: Buffer): boolean {
    if (bytes.at(-1) === LINE_END) return false;
    const { folder, now } = this.#options;
    const changedAt = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Math.abs(now() - changedAt) < UNDER_WAY;
  }

  #setAside(name: string, problem: string): undefined {
    const { folder, log } = this.#options;
    try {
      makeFolder(join(folder, "bad"));
      renameSync(join(folder, name), join(folder, "bad", name));
      this.#stuck.delete(name);
      log.warn({ file: join(folder, "bad", name), problem }, "spool: set aside a file that is not a beat");
    } catch (error) {
      // It is found again each second.
      if (this.#stuck.has(name)) return undefined;
      this.#stuck.add(name);
      log.error({ file: join(folder, name), problem: String(error) }, "spool: cannot set a bad file aside");
    }
    return undefined;
  }
}
