import { rmSync, statSync } from "node:fs";
import { iso, type Millis, SECOND } from "../core/duration.ts";
import type { Log } from "../ports/log.ts";
import type { Repository } from "../ports/repositories.ts";
import { type Store, StoreError } from "../ports/store.ts";
import { moveAside, putInPlace } from "./aside.ts";
import { type Home, prepareHome } from "./home.ts";
import type { Writer } from "./store.ts";
import { StoreEvents } from "./store-events.ts";

type WrittenStore = Awaited<ReturnType<Writer["openStore"]>>;

const LOOK_EVERY: Millis = SECOND;
/** A database that cannot be written anew is tried again after so long at most. */
const RARELY: Millis = 30 * SECOND;

/** Another watcher has taken the home while its files were gone: two must not watch the same agents. */
export class HomeTakenError extends Error {
  readonly code = "home-taken";

  constructor(home: string) {
    super(`the files in ${home} were deleted or replaced, and another watcher has taken it; this one stops`);
    this.name = "HomeTakenError";
  }
}

export interface StandingOptions {
  readonly home: Home;
  readonly writer: Writer;
  readonly log: Log;
  /** Called at once when the files are found to be gone: nothing can be stored until they are there again. */
  readonly onLost: (problem: StoreError) => void;
  /** Writes the other files of the home anew: the PID file and the secrets. */
  readonly restoreFiles: () => void;
  /** Another watcher was quicker. */
  readonly onTaken: (error: HomeTakenError) => void;
  /** Another watcher has taken the store, which is elsewhere. */
  readonly onFenced?: (error: StoreError) => void;
  /** The epoch of the owner that it is taken from. */
  readonly takeFrom?: number | undefined;
}

/** The files that must stay what they were when the store was opened, each by device and inode. */
interface Marks {
  readonly home: string;
  readonly lock: string;
  readonly database: string;
}

/**
 * The daemon's store, and whether its file is still the one that was opened. A deleted file goes on taking commits until
 * it is closed, and then everything is gone: so home, lock and database are looked at every second.
 *
 *   standing ──a file is gone or another──▶ lost (commits fail) ──copied anew from the open file──▶ standing
 */
export class StandingStore {
  readonly #options: StandingOptions;
  #inner: WrittenStore;
  #marks: Marks;
  #problem: StoreError | undefined;
  /** A finished copy that waits to take the database's place: the store that it was made from is closed. */
  #copy: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #rest: Millis = LOOK_EVERY;

  private constructor(options: StandingOptions, inner: WrittenStore, marks: Marks) {
    this.#options = options;
    this.#inner = inner;
    this.#marks = marks;
  }

  static async open(options: StandingOptions): Promise<StandingStore> {
    const { writer, home, onFenced, takeFrom } = options;
    const inner = await writer.openStore(home, { onFenced, takeFrom });
    return new StandingStore(options, inner, marksOf(options.home));
  }

  /** The store for everybody else. */
  readonly store: Store = {
    commit: async (changes) => {
      if (this.#problem !== undefined) throw this.#problem;
      return this.#inner.commit(changes);
    },
    load: () => this.#inner.load(),
    loadAgent: (id) => this.#inner.loadAgent(id),
    lastMark: () => this.#inner.lastMark(),
    beats: (agent, page) => this.#inner.beats(agent, page),
    flips: (agent, page) => this.#inner.flips(agent, page),
    flipsSince: (...asked) => this.#inner.flipsSince(...asked),
    stateTimes: (...asked) => this.#inner.stateTimes(...asked),
    beatCounts: (...asked) => this.#inner.beatCounts(...asked),
    cycles: (agent, page) => this.#inner.cycles(agent, page),
    incidents: through(() => this.#inner.incidents),
    deliveries: {
      ...through(() => this.#inner.deliveries),
      underWay: () => this.#inner.deliveries.underWay(),
    },
    recoveries: through(() => this.#inner.recoveries),
    runs: { page: (query) => this.#inner.runs.page(query) },
    issues: through(() => this.#inner.issues),
    records: {
      page: (kind, query) => this.#inner.records.page(kind, query),
      one: (kind, id) => this.#inner.records.one(kind, id),
    },
    outgoing: {
      spool: () => this.#inner.outgoing.spool(),
      renew: (id) => this.#inner.outgoing.renew(id),
      after: (number, bytes) => this.#inner.outgoing.after(number, bytes),
      forget: (upTo, before) => this.#inner.outgoing.forget(upTo, before),
    },
    changesSince: (number, limit) => this.#inner.changesSince(number, limit),
    prune: async (before) => {
      if (this.#problem !== undefined) throw this.#problem;
      return this.#inner.prune(before);
    },
    close: () => this.#inner.close(),
  };

  start(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => {
        if (this.#timer !== undefined) this.start();
      });
    }, this.#rest);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { home, log, onLost } = this.#options;
    const now = marksOf(home);
    if (this.#problem === undefined) {
      const what = sayChange(home, this.#marks, now);
      if (what === undefined) return;
      this.#problem = new StoreError("failed", `${what} while the watcher was running; it is written anew`);
      log.error({ problem: this.#problem.message }, "store-replaced");
      onLost(this.#problem);
    } else if (this.#copy === undefined && sayChange(home, this.#marks, now) === undefined) {
      this.#problem = undefined;
      log.warn({}, "the files of the home are back");
      return;
    }
    try {
      await this.#writeAnew(now);
      this.#rest = LOOK_EVERY;
    } catch (error) {
      if (error instanceof HomeTakenError) return this.#options.onTaken(error);
      const problem = error instanceof Error ? error.message : String(error);
      log.error({ problem }, "the database could not be rewritten yet");
      this.#rest = Math.min(RARELY, 2 * this.#rest);
    }
  }

  /** Copies everything from the file that we still have open to where the database belongs. */
  async #writeAnew(now: Marks): Promise<void> {
    const { home, writer, restoreFiles, log } = this.#options;
    prepareHome(home);
    // First of all, because from here on a second watcher must not start.
    if (now.lock !== this.#marks.lock && marksOf(home).lock !== this.#marks.lock) {
      if (!writer.renew(home)) throw new HomeTakenError(home.path);
      this.#marks = { ...this.#marks, lock: marksOf(home).lock };
    }
    restoreFiles();
    const isThere = now.home === this.#marks.home && now.database === this.#marks.database;
    const isElsewhere = this.#inner.copyTo === undefined;
    const aside = isThere || isElsewhere ? undefined : await this.#moveInAnew();
    this.#record(now, aside);
    this.#marks = marksOf(home);
    this.#problem = undefined;
    log.warn({ at: iso(Date.now()), aside: aside ?? null }, "the database was written anew");
  }

  /** Answers with where the file is that stood in the database's place. */
  async #moveInAnew(): Promise<string | undefined> {
    const { home, writer } = this.#options;
    if (this.#copy === undefined) {
      const copy = `${home.database}.anew`;
      rmSync(copy, { force: true });
      await this.#inner.copyTo?.(copy);
      this.#copy = copy;
    }
    // Closing removes the log by its name: the new database must not have one yet.
    const aside = moveAside(home.database, "replaced");
    await this.#inner.close().catch(() => {});
    putInPlace(this.#copy, home.database);
    this.#inner = await writer.openStore();
    this.#copy = undefined;
    return aside;
  }

  #record(now: Marks, aside: string | undefined): void {
    const { home } = this.#options;
    const what = this.#problem?.message.replace("; it is written anew", "") ?? "";
    const kept = aside === undefined ? "" : `; the file that stood there is kept as ${aside}`;
    const others = "the config file, beats that waited in the spool, logs";
    new StoreEvents(home.path).record({
      code: "store-replaced",
      what: `${what}${kept}`,
      lost:
        now.home === this.#marks.home
          ? "nothing: everything was written anew"
          : `nothing of the database; other files of the home may be gone: ${others}`,
    });
  }
}

/** The repository of the store that is open at the time of the question. */
function through<T, Query>(of: () => Repository<T, Query>): Repository<T, Query> {
  return { page: (query) => of().page(query), one: (id) => of().one(id) };
}

/** Without a promise: each would wake a thread, every second, which takes more time than the question itself. */
function marksOf(home: Home): Marks {
  return { home: markOf(home.path), lock: markOf(home.writerLock), database: markOf(home.database) };
}

function markOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function sayChange(home: Home, before: Marks, now: Marks): string | undefined {
  const say = (what: string, path: string, is: string) =>
    `${what} ${path} was ${is === "ENOENT" ? "deleted" : /^\d/.test(is) ? "replaced by another" : `made unreachable (${is})`}`;
  if (now.home !== before.home) return say("the home", home.path, now.home);
  if (now.database !== before.database) return say("the database", home.database, now.database);
  if (now.lock !== before.lock) return say("the lock", home.writerLock, now.lock);
  return undefined;
}
