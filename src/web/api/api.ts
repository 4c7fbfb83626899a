import type { Store } from "../../ports/store.ts";
import type { DaemonService } from "../../service/daemon.ts";
import type { FailingView } from "../../views/show.ts";
import type { TickGrid } from "../../views/ticks.ts";
import type { Watcher } from "../../watch/watcher.ts";

/** What the API shows of the watcher itself. */
export interface WatcherInfo {
  readonly running: true;
  readonly pid: number;
  readonly host: string;
  readonly version: string;
  readonly startedAt: string;
  readonly url: string;
  readonly home: string;
  readonly configFile: string | null;
  readonly configLoadedAt: string;
  /** A sentence for each key of the config that is not in force before a restart. */
  readonly needsRestart?: readonly string[];
  readonly lastCrash: object | null;
  /** Set while nothing can be stored. */
  readonly blindSince: string | null;
  /** What happened to the database and was not acknowledged. */
  readonly storeEvents: readonly {
    readonly code: string;
    readonly at: string;
    readonly what: string;
    readonly lost: string;
  }[];
  /** Files in the spool that could not be read and lie aside. */
  readonly badSpoolFiles: number;
  /** The channels that deliver nothing at the moment. */
  readonly failingChannels: readonly FailingView[];
}

/** What the routes need of the rest. */
export interface Api extends DaemonService {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly info: () => WatcherInfo;
  readonly ticks: () => Promise<TickGrid>;
  /** What is in force, and where each value came from. */
  readonly settings: () => Promise<readonly { path: string; value: unknown; from: string }[]>;
  readonly now: () => number;
  readonly newId: () => string;
  /** Reads the config again. `yes`: also one that takes most of the agents away. */
  readonly reload: (yes: boolean) => Promise<{ needsRestart: readonly string[] } | { refused: string }>;
}
