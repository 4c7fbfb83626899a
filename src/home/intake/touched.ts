import { createHash } from "node:crypto";
import { type FSWatcher, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAgentId } from "../../core/agent.ts";
import type { Beat } from "../../core/beat.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";
import { SECOND } from "../../core/duration.ts";
import type { Log } from "../../ports/log.ts";
import { watchFolder } from "./watch-folder.ts";

/** Notifications can be lost; the folder may be large, so the second look comes seldom. */
const LOOK_AGAIN = 30 * SECOND;
/** How soon a touch that could not be recorded is tried again. */
const TRY_AGAIN = SECOND;

const MOST_STRANGE = 100;

/** Somebody touched a file to beat, but its name can be no agent's. A dot marks what is ours (allegro.json) and what is hidden. */
export function isStrange(name: string): boolean {
  return !name.includes(".") && !isAgentId(name);
}

export interface TouchedOptions {
  readonly folder: string;
  readonly accept: (beats: readonly Beat[]) => Promise<void>;
  /** Whether an error means that these beats can never be accepted, rather than not now. */
  readonly isFinal: (error: unknown) => boolean;
  readonly now: () => number;
  readonly log: Log;
}

/** `touch beats/allegro` is a beat: a name without an extension, its modification time the stamp. */
export class Touched {
  readonly #options: TouchedOptions;
  readonly #known = new Map<string, number>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Names that are no agent's, and have been reported. */
  readonly #strange = new Set<string>();
  /** Nothing can be recorded now; it has been said. */
  #isFailing = false;
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
      if (isStrange(name)) this.#report(name);
      const beat = isAgentId(name) ? this.#beatOf(name) : undefined;
      return beat === undefined ? [] : [beat];
    });
    if (beats.length > 0) await this.#take(beats);
  }

  #report(name: string): void {
    if (this.#strange.has(name) || this.#strange.size >= MOST_STRANGE) return;
    this.#strange.add(name);
    this.#options.log.warn(
      { name, expected: AGENT_ID_FORM },
      "beats: the name of a touched file is no agent's",
    );
  }

  async #take(beats: readonly Beat[]): Promise<void> {
    const { accept, isFinal, log } = this.#options;
    try {
      await accept(beats);
      this.#isFailing = false;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (!isFinal(error)) this.#tryAgain(beats, problem);
      // One that can never be accepted must not hold up the others.
      else if (beats.length > 1) for (const beat of beats) await this.#take([beat]);
      else log.warn({ agent: beats[0]?.agent, problem }, "beats: a touched file is refused");
    }
  }

  #tryAgain(beats: readonly Beat[], problem: string): void {
    for (const { agent } of beats) this.#known.delete(agent);
    if (!this.#isFailing) this.#options.log.warn({ problem }, "beats: a touched file could not be recorded");
    this.#isFailing = true;
    if (this.#isStopped) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#lookAll(), TRY_AGAIN);
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
