// What the API answers. What the watcher's own code has a type for is taken from there.
import type { State, StateCounts } from "../../src/core/liveness/state.ts";
import type { FailingView, IncidentView, WatcherInfo } from "../../src/views/show.ts";
import type { RollView as AgentView } from "../../src/watch/view.ts";

export type { State } from "../../src/core/liveness/state.ts";
export type { HostView } from "../../src/views/host.ts";
export type {
  ActionView,
  AuditView,
  BeatView,
  CycleView,
  DeliveryView,
  FlipView,
  IncidentView,
  NextStepView,
  RecoveryView,
  RunView,
  SilenceView,
  TokenView,
  ToldView,
  WatcherInfo,
} from "../../src/views/show.ts";
export type { TickCell, TickGrid } from "../../src/views/ticks.ts";
export type { RhythmView } from "../../src/watch/learning.ts";
export type { RollView as AgentView } from "../../src/watch/view.ts";

export interface IncidentsAnswer {
  readonly incidents: readonly IncidentView[];
  readonly next: string | null;
  /** How many are open in all, and for how many of them a group's incident speaks. */
  readonly counts: { readonly open: number; readonly spokenFor: number };
}

export interface RollAnswer {
  readonly watcher: WatcherInfo;
  /** Of the whole roll. */
  readonly counts: StateCounts;
  readonly agents: readonly AgentView[];
  /** The address of the next page, if there is one. */
  readonly next?: string | null;
}

export interface SessionAnswer {
  readonly signedIn: boolean;
  readonly may: { readonly read: boolean; readonly change: boolean };
}

export interface StripsAnswer {
  readonly from: string;
  readonly to: string;
  /** For each agent seconds after `from`, and the state that began then. */
  readonly agents: Readonly<Record<string, readonly (readonly [seconds: number, state: State])[]>>;
}

/** Of 10,000 parts of the judged time how many each agent was up, over 7, 30 and 90 days. */
export interface UptimeAnswer {
  readonly agents: Readonly<Record<string, readonly (number | null)[]>>;
}

/** The past of an agent in parts of one width. */
export interface RangeAnswer {
  readonly from: string;
  readonly to: string;
  readonly width: number;
  /** Of each part the milliseconds in each state. */
  readonly states: readonly Readonly<Partial<Record<State, number>>>[];
  readonly beats: readonly number[];
  readonly uptime: number | null;
}

/** What a person can do about an agent. */
export interface HandlesAnswer {
  readonly steps: readonly ("nudge" | "restart" | "wake")[];
  /** Whether a restart ends a process that still runs; without that it refuses. */
  readonly restartEnds: boolean;
  readonly attach: string | null;
  /** Whether its host takes its next step if the hub asks. */
  readonly byHost: boolean;
  /** Whether its question may be read. */
  readonly question: boolean;
}

export interface QuestionAnswer {
  readonly text: string;
  readonly choices: readonly { readonly number: number; readonly label: string }[];
  readonly fingerprint: string;
}

export interface ChannelHealth {
  readonly name: string;
  readonly kind: string;
  readonly lastSentAt: string | null;
  readonly sent: number;
  readonly lost: number;
  readonly waiting: number;
  readonly failing: FailingView | null;
}

export interface ConfigAnswer {
  readonly file: string | null;
  readonly values: readonly { readonly path: string; readonly value: unknown; readonly from: string }[];
}
