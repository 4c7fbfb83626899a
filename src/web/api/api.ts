import type { Run } from "../../core/action/state.ts";
import type { Agent } from "../../core/agent.ts";
import type { Instant } from "../../core/duration.ts";
import type { NextStep } from "../../core/recovery/words.ts";
import type { Acted } from "../../ports/recovery.ts";
import type { Store } from "../../ports/store.ts";
import type { TokenStore } from "../../service/access/token-store.ts";
import type { PingIds } from "../../service/ping-ids.ts";
import type { ActionView, FailingView } from "../../views/show.ts";
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

/** What the API needs of the daemon's scheduled actions. */
export interface ActionsApi {
  list(): readonly ActionView[];
  upcoming(name: string, count: number): readonly Instant[];
  run(name: string): Promise<Run>;
  enable(name: string, enabled: boolean): Promise<void>;
}

/** What the routes need of the rest. */
export interface Api {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly keys: TokenStore;
  readonly pingIds: PingIds;
  readonly info: () => WatcherInfo;
  readonly actions: ActionsApi;
  readonly ticks: () => Promise<TickGrid>;
  /** Takes a step that the config declares for an agent, because a person asks for it. */
  readonly takeStep: (agent: string, what: "nudge" | "restart" | "wake") => Promise<Acted>;
  /** What comes next for an agent in trouble, or why nothing is done. */
  readonly nextStep: (agent: string) => NextStep | undefined;
  /** What is in force, and where each value came from. */
  readonly settings: () => Promise<readonly { path: string; value: unknown; from: string }[]>;
  readonly now: () => number;
  readonly newId: () => string;
  /** What a person would see of an agent: its screen, or the raw tail of its log; undefined if nothing shows it. */
  readonly peek: (id: string, how: "screen" | "raw") => Promise<string | undefined>;
  /** Reads the config again. `yes`: also one that takes most of the agents away. */
  readonly reload: (yes: boolean) => Promise<{ needsRestart: readonly string[] } | { refused: string }>;
  /** Makes an agent of what was asked for, or says what is wrong with it. Only the owner names any file. */
  readonly readAgent: (value: unknown, owner: boolean) => { agent: Agent } | { problem: string };
}
