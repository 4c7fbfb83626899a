import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Millis, SECOND, sayDuration } from "../core/duration.ts";
import type { Store } from "../ports/store.ts";
import { type HomeStore, openStore, type StoreDeps } from "../store/registry.ts";
import { FileLock } from "../system/lock.ts";
import { checkHome, type Home, prepareHome, storeOwnerOf } from "./home.ts";
import { AlreadyRunningError, LockedPidFile } from "./pid-file.ts";

// The only way to a home's store. The import table keeps everything else from opening the database.

const LOOK_AGAIN: Millis = 50;
/** Commands hold the lock for a moment, so a daemon that cannot get it for this long meets another daemon. */
const DAEMON_PATIENCE: Millis = 10 * SECOND;

/** Another process kept the home's lock for longer than we wait. */
export class HomeBusyError extends Error {
  override readonly name = "HomeBusyError";
  readonly code = "home-busy";
}

/**
 * The right to write a home's store: the daemon has it for its whole life, a command for its change. It is a lock that is
 * taken, so two processes never have it at once, whatever PID files say.
 */
export class Writer {
  #lock: FileLock;
  readonly #home: Home;

  private constructor(lock: FileLock, home: Home) {
    this.#lock = lock;
    this.#home = home;
  }

  /** Undefined while another process has it. */
  static take(home: Home): Writer | undefined {
    checkHome(home);
    prepareHome(home);
    const lock = FileLock.take(home.writerLock);
    return lock === undefined ? undefined : new Writer(lock, home);
  }

  /** Whether another process has it now, be it in another PID namespace. */
  static isTaken(home: Home): boolean {
    return existsSync(home.writerLock) && FileLock.isTaken(home.writerLock);
  }

  /** For the daemon: lets commands finish, and refuses to be the second daemon of a home. */
  static async takeForLife(home: Home, patience: Millis = DAEMON_PATIENCE): Promise<Writer> {
    const pidFile = new LockedPidFile(home.pidFile);
    const deadline = performance.now() + patience;
    for (;;) {
      const writer = Writer.take(home);
      if (writer !== undefined) return writer;
      const holder = pidFile.holder();
      if (holder !== undefined) throw new AlreadyRunningError(pidFile.path, holder);
      if (performance.now() >= deadline) throw new HomeBusyError(sayHolder(home, patience));
      await sleep(LOOK_AGAIN);
    }
  }

  /** `home` may say where the store is. */
  openStore(
    home = this.#home,
    how: Pick<StoreDeps, "onFenced" | "here" | "takeFrom"> = {},
  ): Promise<HomeStore> {
    if (!this.#lock.isHeld) throw new Error("the home's lock was released: nothing may be written any more");
    const owner = () => storeOwnerOf(home);
    // A store that may be written is never missing.
    return openStore(home.store, { file: home.database, owner, ...how }).then(
      (store) => store ?? emptyStore(),
    );
  }

  /** Takes the lock anew after its file was deleted or replaced. False if another process was quicker. */
  renew(home: Home): boolean {
    const lock = FileLock.take(home.writerLock);
    if (lock === undefined) return false;
    this.#lock.release();
    this.#lock = lock;
    return true;
  }

  /** Close the store first. */
  release(): void {
    this.#lock.release();
  }
}

/** Reads from the store, an empty one if there is none yet; nothing on the disk is changed. */
export async function withStore<T>(
  home: Home,
  use: (store: Store) => Promise<T>,
  how: Pick<StoreDeps, "here"> = {},
): Promise<T> {
  return using((await openStore(home.store, { file: home.database, ...how })) ?? (await emptyStore()), use);
}

async function emptyStore(): Promise<Store> {
  return (await import("../store/memory/memory.ts")).memoryStore();
}

/** Uses a store once and closes it. */
export async function using<T>(store: Store, use: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The lock is held by a process that cannot be named: in a container its pid means nothing here. */
export function sayHolder(home: Home, waited: Millis): string {
  const named = new LockedPidFile(home.pidFile).read();
  const held = `another process has held ${home.writerLock} for ${sayDuration(waited)}`;
  return named === undefined
    ? `${held}; find it: fuser ${home.writerLock}`
    : `${held}; ${home.pidFile} names process ${named.incarnation.pid}, which cannot be seen from here: a watcher in another container may use this home`;
}
