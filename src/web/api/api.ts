import type { Store } from "../../ports/store.ts";
import type { DaemonService } from "../../service/daemon.ts";
import type { WatcherInfo } from "../../views/show.ts";
import type { TickGrid } from "../../views/ticks.ts";
import type { Watcher } from "../../watch/watcher.ts";

export interface Api extends DaemonService {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly info: () => WatcherInfo;
  /** The channels that are told, as the config names them. */
  readonly channels: () => readonly { readonly name: string; readonly kind: string }[];
  readonly ticks: () => Promise<TickGrid>;
  /** What is in force, and where each value came from. */
  readonly settings: () => Promise<readonly { path: string; value: unknown; from: string }[]>;
  readonly now: () => number;
  readonly newId: () => string;
  /** Reads the config again. `yes`: also one that takes most of the agents away. */
  readonly reload: (yes: boolean) => Promise<{ needsRestart: readonly string[] } | { refused: string }>;
}
