import type { Instant } from "../core/duration.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { State, StateCounts } from "../core/liveness/state.ts";
import type { HostView } from "../views/host.ts";
import type {
  ActionView,
  AuditView,
  BeatView,
  CycleView,
  DeliveryView,
  FlipView,
  IncidentView,
  IncidentWithMessages,
  NextStepView,
  PingView,
  RecoveryView,
  RunView,
  SilenceView,
  TokenView,
} from "../views/show.ts";
import type { UsageView } from "../views/usage.ts";
import type { RhythmView } from "../watch/learning.ts";
import type { HandStep } from "../watch/manual-step.ts";
import type { RollView } from "../watch/view.ts";
import type { ListPage, WantedPage } from "./page.ts";

/** An agent as readers see it. Its ping UUID lets whoever knows it send beats; null until a watcher has run. */
export type AgentWithPing = RollView & {
  readonly pingUuid: string | null;
  /** Who acknowledged its open incident. */
  readonly acknowledgedBy?: string;
  /** Until when its alerts are muted. */
  readonly mutedUntil?: string;
};

export interface RollFilter {
  readonly states?: readonly State[] | undefined;
  readonly group?: string | undefined;
  readonly host?: string | undefined;
  /** Stands in the id, name, why, action or message. */
  readonly text?: string | undefined;
  /** Sorted by id, and only ids after this one. */
  readonly after?: string | undefined;
}

/** What is told of the watcher beside the roll. */
interface RollHead {
  readonly watcher: { readonly running: boolean; readonly [key: string]: unknown };
  /** Why the config file cannot be used: then the roll is judged by what is stored alone. */
  readonly configError?: string;
}

export interface WholeRoll extends RollHead {
  /** Of the whole roll, whatever was asked for. */
  readonly counts: StateCounts;
  /** Made while they are read: a fleet may be large. */
  readonly agents: AsyncIterable<AgentWithPing>;
}

export interface OneAgent extends RollHead {
  /** With its evidence and its outlook; undefined if it is not on the roll. */
  readonly agent: AgentWithPing | undefined;
}

export interface Histories {
  readonly beats: BeatView;
  readonly flips: FlipView;
  readonly cycles: CycleView;
  readonly pings: PingView;
  readonly recoveries: RecoveryView;
}

export interface IncidentFilter {
  /** Of this agent, group or host. */
  readonly about?: string | undefined;
  readonly which?: "open" | "over" | undefined;
  readonly kind?: Incident["kind"] | undefined;
  /** Without those that a group's incident speaks for. */
  readonly grouped?: boolean | undefined;
  /** Of the agents of this host, and of the host itself. */
  readonly host?: string | undefined;
  /** Those that were open at this moment or later. */
  readonly openSince?: Instant | undefined;
}

/** How many incidents are open in all, and how many of them a group's incident speaks for. */
export interface IncidentCounts {
  readonly open: number;
  readonly spokenFor: number;
}

/** A question in the words of the agent's screen. */
export interface QuestionView {
  readonly text: string;
  readonly choices: readonly { readonly number: number; readonly label: string }[];
  /** An answer names it, so that it never reaches another question. */
  readonly fingerprint: string;
}

export interface WantedAnswer {
  readonly fingerprint: string;
  /** Either of the two. */
  readonly choice?: number | undefined;
  readonly text?: string | undefined;
}

/** What a person can do about an agent of this host: the steps that its config declares, and the way to its pane. */
export interface HandlesView {
  readonly steps: readonly HandStep[];
  /** Whether a restart ends a process that still runs. */
  readonly restartEnds: boolean;
  /** A shell command on the agent's host. */
  readonly attach: string | null;
  /** Whether its host takes its next step if the hub asks. */
  readonly byHost: boolean;
  /** Whether there is a pane in which it may ask something, or its host told what it asks. */
  readonly question: boolean;
}

export interface SilenceWish {
  readonly agents: string;
  readonly group?: string | undefined;
  /** How long, such as 2h. */
  readonly for: string;
  readonly why: string;
  readonly by: string;
}

/** What an operator says of a host that is to join. */
export interface WantedHost {
  readonly name: string;
  readonly kind?: string | undefined;
  /** A fleet key: many ephemeral hosts may join with it, and each leaves after so long without a word. */
  readonly ttl?: string | undefined;
}

/** What a person takes to the host that is to join. */
export interface HostInvitation {
  readonly url: string;
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly expiresAt: string;
}

export interface DeliveryFilter {
  readonly to?: string | undefined;
  /** Only what is still to be sent. */
  readonly open?: boolean | undefined;
}

/**
 * Everything that an operator can ask or do. The daemon does it on its watcher and store, a command without a daemon on
 * the store alone (`local.ts`), and a command beside a daemon over HTTP (`remote.ts`). Each failure is an error with a
 * `code` and a sentence for people.
 */
export interface Operations {
  roll(filter?: RollFilter): Promise<WholeRoll>;
  agent(id: string): Promise<OneAgent>;
  /** What is known of an agent, newest first. */
  observations(agent: string): Promise<NonNullable<AgentWithPing["evidence"]>>;
  /** Which silence is normal for an agent; without a context if nothing has been learnt. */
  rhythm(agent: string): Promise<RhythmView | { readonly contexts: object; readonly margin: null }>;
  /** What an agent used, or all agents that tell of it. */
  usage(agent?: string): Promise<readonly UsageView[]>;
  /** Takes the keys of the config file. Only the owner of the home may name files outside of the allowed folders. */
  addAgent(agent: unknown, isOwner: boolean): Promise<void>;
  removeAgent(id: string): Promise<void>;
  pauseAgent(id: string): Promise<void>;
  resumeAgent(id: string): Promise<void>;
  /** What a person would see of an agent: its screen, or the raw tail of its log. */
  peek(agent: string, how: "screen" | "raw"): Promise<string>;
  history<K extends keyof Histories>(
    kind: K,
    agent: string,
    wanted: WantedPage,
  ): Promise<ListPage<Histories[K]>>;
  /** Of an agent of another host only that host knows the steps. */
  handles(agent: string): Promise<HandlesView>;
  /** What comes next for an agent in trouble; null if nothing does. */
  nextStep(agent: string): Promise<NextStepView | null>;
  /**
   * Takes a step that the config declares for an agent, now. Returns what was done, in words. `next-step`: the nudge or
   * restart that is next.
   */
  takeStep(agent: string, step: "nudge" | "restart" | "wake" | "next-step"): Promise<string>;

  /** What an agent that waits asks in its pane. */
  question(agent: string): Promise<QuestionView>;
  /**
   * Types an answer, if the same question still stands there. Returns what was done, in words. Only the owner of the home
   * may send text; everybody else names a choice that this host read itself.
   */
  answer(agent: string, answer: WantedAnswer, isOwner: boolean): Promise<string>;

  incidents(filter: IncidentFilter, wanted: WantedPage): Promise<ListPage<IncidentView>>;
  incidentCounts(): Promise<IncidentCounts>;
  incident(id: string): Promise<IncidentWithMessages>;
  acknowledge(incident: string, by: string): Promise<void>;
  resolve(incident: string, by: string): Promise<void>;
  silences(): Promise<readonly SilenceView[]>;
  addSilence(silence: SilenceWish): Promise<SilenceView>;
  endSilence(id: string): Promise<void>;
  deliveries(filter: DeliveryFilter, wanted: WantedPage): Promise<ListPage<DeliveryView>>;
  /** Puts a delivery that was refused or given up back into the line. */
  retryDelivery(key: string): Promise<void>;

  actions(): Promise<readonly ActionView[]>;
  nextRuns(action: string, count: number): Promise<readonly string[]>;
  runs(action: string, wanted: WantedPage): Promise<ListPage<RunView>>;
  /** Resolves when the run has ended. */
  runAction(action: string): Promise<RunView>;
  enableAction(action: string, enabled: boolean): Promise<void>;

  /** The tokens that count, without their secrets. */
  tokens(): Promise<readonly TokenView[]>;
  /** The secret is shown this once. */
  createToken(wish: unknown): Promise<{ readonly token: TokenView; readonly secret: string }>;
  revokeToken(id: string): Promise<void>;
  /** The hosts that report to this hub. */
  hosts(): Promise<readonly HostView[]>;
  /** Makes a code with which a host joins, or a key for many. It is shown this once. */
  inviteHost(wanted: WantedHost): Promise<HostInvitation>;
  /** Takes a host's right to report away, and its agents off the roll. */
  revokeHost(name: string): Promise<void>;
  renameHost(name: string, to: string): Promise<void>;
  /** Who changed what. */
  audit(wanted: WantedPage): Promise<ListPage<AuditView>>;
}
