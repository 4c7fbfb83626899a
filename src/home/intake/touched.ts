import { createHash } from "node:crypto";
import { type FSWatcher, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAgentId } from "../../core/agent.ts";
import type { Beat } from "../../core/beat.ts";
import { SECOND } from "../../core/duration.ts";
import type { Log } from "../../ports/log.ts";
import { watchFolder } from "./watch-folder.ts";

/** Notifications can be lost; the folder may be large, so the second look comes seldom. */
const LOOK_AGAIN = 30 * SECOND;
/** How soon a touch that could not be recorded is tried again. */
const TRY_AGAIN = SECOND;

export interface TouchedOptions {
  readonly folder: string;
  readonly accept: (beats: readonly Beat[]) => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
}

/** `touch beats/allegro` is a beat: a name without an extension, its modification time the stamp. */
export class Touched {
  readonly #options: TouchedOptions;
  readonly #known = new Map<string, number>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Those that could not be recorded. */
  readonly #refused = new Set<string>();
  #retry: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: TouchedOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#lookAll();
    this.#watcher = watchFolder(
      this.#options.folder,
      (name) => void this.#look([name]),
      (problem) => this.#options.log.warn({ problem }, "beats: cannot watch"),
    );
    this.#timer = setInterval(() => void this.#lookAll(), LOOK_AGAIN);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    this.#watcher?.close();
  }

  #lookAll(): Promise<void> {
    try {
      return this.#look(readdirSync(this.#options.folder));
    } catch (error) {
      this.#options.log.error({ problem: String(error) }, "beats: cannot be listed");
      return Promise.resolve();
    }
  }

  async #look(names: readonly string[]): Promise<void> {
    const beats = names.flatMap((name) => {
      // A dot marks what is ours (allegro.json) and what is hidden.
      const beat = isAgentId(name) ? this.#beatOf(name) : undefined;
      return beat === undefined ? [] : [beat];
    });
    if (beats.length === 0) return;
    try {
      await this.#options.accept(beats);
    } catch (error) {
      if (this.#refused.size === 0)
        this.#options.log.warn({ problem: String(error) }, "beats: a touched file could not be recorded");
      this.#tryAgain(beats);
      return;
    }
    for (const { agent } of beats) this.#refused.delete(agent);
  }

  #tryAgain(beats: readonly Beat[]): void {
    for (const { agent } of beats) {
      this.#known.delete(agent);
      this.#refused.add(agent);
    }
    if (this.#isStopped) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#look([...this.#refused]), TRY_AGAIN);
  }

  #beatOf(name: string): Beat | undefined {
    const touched = touchedBeat(this.#options.folder, name, this.#options.now());
    if (touched === undefined || this.#known.get(name) === touched.sentAt) return undefined;
    this.#known.set(name, touched.sentAt);
    return touched;
  }
}

/** The beat that a touched file stands for. The same touch always gives the same id, and so is recorded once. */
export function touchedBeat(folder: string, name: string, now: number): Beat | undefined {
  try {
    const stat = statSync(join(folder, name), { bigint: true });
    if (!stat.isFile()) return undefined;
    const sentAt = Number(stat.mtimeMs);
    return {
      id: idOf(name, stat.mtimeNs, sentAt),
      agent: name,
      source: "agent",
      status: "ok",
      sentAt,
      receivedAt: now,
      spooled: true,
    };
  } catch {
    return undefined;
  }
}

function idOf(name: string, mtime: bigint, at: number): string {
  const digest = createHash("sha256").update(`${name}\n${mtime}`).digest("hex");
  const time = Math.max(0, at).toString(16).padStart(12, "0").slice(-12);
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${digest.slice(0, 3)}`,
    `8${digest.slice(3, 6)}`,
    digest.slice(6, 18),
  ].join("-");
}
