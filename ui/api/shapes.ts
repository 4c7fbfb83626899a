// What the API answers. What the watcher's own code has a type for is taken from there.
import type { State } from "../../src/core/liveness/state.ts";
import type { FailingView, IncidentView } from "../../src/views/show.ts";
import type { RollView as AgentView } from "../../src/watch/view.ts";

export type { State } from "../../src/core/liveness/state.ts";
export type {
  BeatView,
  CycleView,
  DeliveryView,
  FlipView,
  IncidentView,
  SilenceView,
  ToldView,
} from "../../src/views/show.ts";
export type { RollView as AgentView } from "../../src/watch/view.ts";

export interface WatcherView {
  readonly host: string;
  readonly version: string;
  readonly startedAt: string;
  readonly home: string;
  readonly configFile: string | null;
  readonly blindSince: string | null;
  /** What happened to the database and was not acknowledged. */
  readonly storeEvents: readonly {
    readonly code: string;
    readonly at: string;
    readonly what: string;
    readonly lost: string;
  }[];
  readonly badSpoolFiles: number;
  /** The channels that deliver nothing at the moment. */
  readonly failingChannels: readonly FailingView[];
}

export interface IncidentsAnswer {
  readonly incidents: readonly IncidentView[];
  readonly next: string | null;
  /** How many are open in all, and for how many of them a group's incident speaks. */
  readonly counts: { readonly open: number; readonly spokenFor: number };
}

export interface RollAnswer {
  readonly watcher: WatcherView;
  readonly agents: readonly AgentView[];
}

export interface StripsAnswer {
  readonly from: string;
  readonly to: string;
  /** For each agent seconds after `from`, and the state that began then. */
  readonly agents: Readonly<Record<string, readonly (readonly [seconds: number, state: State])[]>>;
}

export interface Run {
  readonly id: string;
  readonly dueAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly count: number | null;
  readonly message: string | null;
  readonly problem: string | null;
}

export interface Action {
  readonly name: string;
  readonly description: string | null;
  readonly schedule: string;
  readonly words: string | null;
  readonly enabled: boolean;
  readonly source: string;
  readonly nextAt: string | null;
  readonly lastRun: Run | null;
  readonly failures: number;
  readonly running: boolean;
}

export interface Ticked {
  readonly status: string;
  readonly submittedAt?: string | null;
  readonly issue?: { readonly url: string; readonly number: number } | string | null;
}

export interface TicksAnswer {
  readonly months: readonly string[];
  readonly agents: readonly {
    readonly id: string;
    readonly name?: string | null;
    readonly ticks: Readonly<Record<string, Ticked>>;
  }[];
}

export interface RhythmContext {
  readonly limitMs: number | null;
  readonly from: string;
  readonly gaps: number;
  readonly longest: readonly number[];
}

export interface RhythmAnswer {
  readonly contexts: Readonly<Record<string, RhythmContext>>;
  readonly margin: number | null;
}

export interface RecoveryView {
  readonly id: string;
  readonly step: string;
  readonly state: string;
  readonly why: string | null;
  readonly plannedAt: string;
  readonly endedAt: string | null;
}

/** What comes next for an agent in trouble, or why nothing is done. */
export interface NextStepView {
  readonly step: string | null;
  readonly why: string;
  readonly at: string | null;
}

export interface ConfigAnswer {
  readonly file: string | null;
  readonly values: readonly { readonly path: string; readonly value: unknown; readonly from: string }[];
}
