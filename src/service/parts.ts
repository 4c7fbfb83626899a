import type { Run } from "../core/action/state.ts";
import type { Agent } from "../core/agent.ts";
import type { Instant } from "../core/duration.ts";
import type { StateCounts } from "../core/liveness/state.ts";
import type { NextStep } from "../core/recovery/words.ts";
import type { Acted } from "../ports/recovery.ts";
import type { Store } from "../ports/store.ts";
import type { Answer, AskedQuestion } from "../recoveries/answer/answer.ts";
import type { ActionView } from "../views/show.ts";
import type { RhythmView } from "../watch/learning.ts";
import type { RollPlace } from "../watch/roll-place.ts";
import type { RollView } from "../watch/view.ts";
import type { Watcher } from "../watch/watcher.ts";
import type { TokenStore } from "./access/token-store.ts";
import type { HubParts } from "./hub-parts.ts";
import type { HandlesView, WholeRoll } from "./operations.ts";

export interface RollSnapshot extends Pick<WholeRoll, "watcher" | "configError"> {
  places(): Iterable<RollPlace>;
  counts(): StateCounts;
  place(id: string): RollPlace | undefined;
  view(place: RollPlace, detail: boolean): RollView;
  rhythm(place: RollPlace): RhythmView | undefined;
  pingUuid(id: string): string | null;
}

export interface ScheduledActions {
  list(): readonly ActionView[];
  upcoming(name: string, count: number): readonly Instant[];
  run(name: string): Promise<Run>;
  enable(name: string, enabled: boolean): Promise<void>;
}

/** What local operations work on. The daemon has all of it; without a daemon each part is opened when it is needed. */
export interface LocalParts {
  readonly store: Store;
  readonly now: () => Instant;
  readonly newId: () => string;
  /** Makes the changes. */
  readonly watcher: () => Promise<
    Pick<Watcher, "add" | "remove" | "pause" | "resume" | "command" | "persist">
  >;
  /** Incidents of interest, and silences that have not ended. */
  readonly desk: () => Promise<Watcher["desk"]>;
  /** The roll, or as much of it as one agent needs. */
  readonly roll: (only?: string) => Promise<RollSnapshot>;
  readonly mustBeOnRoll: (agent: string) => void;
  readonly readAgent: (value: unknown, isOwner: boolean) => Promise<{ agent: Agent } | { problem: string }>;
  readonly tokens: () => Promise<TokenStore>;
  readonly actions: () => Promise<ScheduledActions>;
  /** Resumes an agent and looks at it. Without a daemon nobody looks. */
  readonly resume?: (agent: string) => Promise<void>;
  /** Undefined if nothing of the agent can be shown. */
  readonly peek: (agent: string, how: "screen" | "raw") => Promise<string | undefined>;
  readonly handles: (agent: string) => Promise<HandlesView>;
  readonly takeStep: (agent: string, what: "nudge" | "restart" | "wake") => Promise<Acted>;
  readonly question: (agent: string) => Promise<AskedQuestion | { readonly why: string }>;
  readonly answer: (agent: string, answer: Answer) => Promise<Acted>;
  readonly nextStep: (agent: string) => NextStep | undefined;
  /** The hub that alerts people for this watcher, and what it calls this host. */
  readonly reportsTo?: () => { readonly url: string; readonly host: string } | undefined;
  /** Set in a hub. */
  readonly hub?: () => HubParts | undefined;
}
