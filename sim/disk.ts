import { type Millis, SECOND } from "../src/core/duration.ts";
import { type Changes, type Store, StoreError } from "../src/ports/store.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { Time } from "./time.ts";

/** How the disk is: it takes commits, refuses them, takes long, or says nothing for a while. */
export type DiskState = "well" | "failing" | "slow" | "hanging";

/** What the world wants to know of commits. `moment` is when the decision in it was made. */
export interface DiskWatch {
  decided(): unknown;
  applied(changes: Changes, moment: unknown): void;
  /** No store would ever take this commit, however well its disk is. */
  refused(why: string): void;
  /** Since when it was asked for what it refused, or took long to do. */
  failed(since: Millis): void;
  tookLong(since: Millis): void;
  /** A commit that takes long is under way, or no longer. */
  waits(under: boolean): void;
  /** One was asked for that will not end before the disk is well again. */
  hangs(): void;
  /** Asked around each commit: true if the process dies here. */
  dies(moment: "before" | "after", changes: Changes): boolean;
}

interface Pending {
  readonly changes: Changes;
  readonly moment: unknown;
  readonly long: boolean;
}

const LONG: Millis = 2500;

/** A disk that outlives the watcher's process: what was committed remains, whatever happens to who asked for it. */
export class Disk {
  state: DiskState = "well";
  hangsUntil: Millis = 0;
  readonly #store: Store;
  readonly #time: Time;
  readonly #chance: Chance;
  readonly #watch: DiskWatch;
  readonly #pending = new Set<Pending>();

  constructor(time: Time, chance: Chance, watch: DiskWatch, store: Store) {
    this.#store = store;
    this.#time = time;
    this.#chance = chance;
    this.#watch = watch;
  }

  /** The disk as one process sees it. */
  storeFor(life: Life): Store {
    const answer = <T>(read: () => Promise<T>): Promise<T> =>
      new Promise((done) => {
        life.after(this.#chance.between(1, 20), () => done(read()));
      });
    const store = this.#store;
    return {
      ...store,
      commit: (changes) => this.#commit(changes, life),
      load: () => answer(() => store.load()),
    };
  }

  /** The process is gone. What was under way may have reached the disk all the same. */
  cutOff(): void {
    for (const { changes, moment, long } of this.#pending) {
      if (long) this.#watch.waits(false);
      if (this.state !== "failing" && this.#chance.hit(0.5)) this.#apply(changes, moment);
    }
    this.#pending.clear();
  }

  #commit(changes: Changes, life: Life): Promise<number> {
    if (life.isOver) return new Promise(() => {});
    const { state } = this;
    const asked = this.#time.now;
    const takes = this.#takes();
    const pending: Pending = { changes, moment: this.#watch.decided(), long: takes > LONG };
    this.#pending.add(pending);
    if (pending.long) this.#watch.waits(true);
    if (state === "hanging") this.#watch.hangs();
    // A disk that hangs comes back by itself, also while the host sleeps; whatever else takes long sleeps with it.
    const later = (call: () => void) =>
      state === "hanging" ? this.#time.after(takes, () => life.after(1, call)) : life.after(takes, call);
    return new Promise((done, failed) => {
      later(() => {
        if (this.#watch.dies("before", changes)) return;
        this.#pending.delete(pending);
        if (pending.long) this.#watch.waits(false);
        if (state === "failing") {
          this.#watch.failed(asked);
          failed(new StoreError("full", "the simulated disk is full"));
          return;
        }
        const stored = this.#apply(changes, pending.moment);
        if (this.#watch.dies("after", changes)) return;
        if (takes > LONG) this.#watch.tookLong(asked);
        stored.then(done, failed);
      });
    });
  }

  #takes(): Millis {
    if (this.state === "slow") return this.#chance.between(3 * SECOND, 40 * SECOND);
    if (this.state === "hanging") return Math.max(5 * SECOND, this.hangsUntil - this.#time.now);
    return this.#chance.between(1, 20);
  }

  #apply(changes: Changes, moment: unknown): Promise<number> {
    const stored = this.#store.commit(changes);
    stored.catch((error: Error) => this.#watch.refused(error.message));
    this.#watch.applied(changes, moment);
    return stored;
  }
}
