import type { AgentQuestion } from "../agent-question.ts";
import { DAY, type Instant, MINUTE, type Millis } from "../duration.ts";
import { hostAgent, hubName } from "../host-names.ts";
import { type Reason, type State, traitsOf } from "../liveness/state.ts";

export type Severity = "warning" | "critical";

/** What has last been queued for one place, and when. */
export interface Told {
  readonly change: number;
  readonly at: Instant;
  readonly reminders: number;
}

export interface Resolution {
  readonly at: Instant;
  readonly how: "recovered" | "calm" | "by-hand" | "paused" | "removed" | "renamed" | "over";
  readonly why: string;
  readonly by?: string;
  /** Of a group's incident: the agents that are still silent and get their own messages from now on. */
  readonly left?: readonly string[];
}

/** Evidence collected at the opening, before a restart could destroy it. Secrets are removed. */
export interface Findings {
  readonly at: Instant;
  readonly items: readonly { readonly title: string; readonly text: string }[];
}

/**
 * An episode of trouble of one agent, of a group at once, or of a host. One is open per subject.
 *
 *   open ──acknowledged──▶ open ──the flip that ends it──▶ resolved ──trouble within 10 min──▶ open
 *                           └─third time within a day──▶ flapping ──an hour of calm──▶ resolved
 */
export interface Incident {
  readonly id: string;
  readonly kind: "agent" | "group" | "reboot";
  /** The agent, the group or the host. */
  readonly subject: string;
  readonly group: string;
  /** The host that judges it, if that is another one. */
  readonly host?: string;
  readonly state: State;
  readonly reason: Reason | "group-silent" | "host-rebooted";
  readonly why: string;
  readonly severity: Severity;
  /** When its present state became true, and when we noticed. */
  readonly since: Instant;
  readonly noticedAt: Instant;
  /** When the episode began, as the flip that opened it is dated. */
  readonly openedAt: Instant;
  /** When the last trouble began, if there were several with health between them. */
  readonly againAt?: Instant;
  /** The openings of the last day, oldest first. */
  readonly episodes: readonly Instant[];
  /** The last opening, if it was by a question and nothing else has been wrong since. */
  readonly askedAt?: Instant;
  readonly flapping: boolean;
  /** While it flaps: the change that told so, and the worst state that has been told since. */
  readonly flaps?: { readonly change: number; readonly worst: State };
  /** Set while a flapping one is well. */
  readonly calmSince?: Instant;
  readonly acknowledged?: { readonly at: Instant; readonly by: string };
  readonly resolved?: Resolution;
  /** Grows with everything that is worth telling: opened, another state, flapping, more members. */
  readonly change: number;
  readonly told: Readonly<Record<string, Told>>;
  /** Since when it has been told at all, and when the next place was told because nobody acknowledged. */
  readonly escalatedAt?: Instant;
  /** The group's incident that speaks for it. */
  readonly spokenForBy?: string;
  readonly members?: readonly string[];
  /** It was over before anybody here heard of it, because its host was out of contact: that is told once. */
  readonly past?: "untold" | "told";
  readonly findings?: Findings;
  /** The question that it waits with. It is out of date when its change is not the incident's. */
  readonly asked?: AgentQuestion;
  /** It told of a budget: one that comes and goes with questions in between is told once. */
  readonly overBudget?: true;
  /** The root-cause issue that was filed for it. */
  readonly issue?: { readonly forge: string; readonly number: number; readonly url: string };
}

/** The group of the agents that stand for hosts. */
export const HOSTS = "hosts";

/** Trouble that comes back so soon is the same trouble. */
export const REOPENS_WITHIN: Millis = 10 * MINUTE;
/** So many openings within a day are one flapping. */
export const FLAPPING = 3;
const REMEMBERED: Millis = DAY;
/** A flapping one is over when it has been well for so long, and is told of again when it has been unwell for so long. */
export const CALM: Millis = 60 * MINUTE;

export function severityOf(state: State, reason?: Reason): Severity | undefined {
  return reason === "host-out-of-contact" ? "critical" : traitsOf(state).severity;
}

/** Verdicts from silence may have a common cause: they are held back for a moment. An exit was seen, and is not. */
export function isSilence(reason: Incident["reason"]): boolean {
  return SILENT.has(reason);
}

const SILENT: ReadonlySet<string> = new Set<Reason>([
  "no-beat",
  "never-heard",
  "did-not-wake",
  "silent",
  "overdue",
  "host-out-of-contact",
]);

/** Healthy again: what ends an incident. `late` and `unknown` end nothing. */
export function isWell(state: State): boolean {
  return state === "alive" || state === "resting" || state === "new";
}

/** Findings are of one opening: an incident that opens again is looked into again. */
export function isLookedInto({ findings, episodes }: Incident): boolean {
  return findings !== undefined && findings.at >= (episodes.at(-1) ?? 0);
}

export function isOpen({ resolved }: Incident): boolean {
  return resolved === undefined;
}

/** The host that it is about: its agent runs there, or the host itself is out of contact. */
export function hostOf({ host, reason, subject }: Incident): string | undefined {
  return reason === "host-out-of-contact" ? subject.slice(HOST_AGENT.length) : host;
}

/** What people call the subject: `bot`, `bot on web1`, `host web1`, `group build`. */
export function calledOf({ kind, subject, host, reason }: Incident): string {
  if (kind === "reboot") return `host ${subject}`;
  if (kind === "group") return `group ${subject}`;
  if (reason === "host-out-of-contact") return `host ${subject.slice(HOST_AGENT.length)}`;
  return host === undefined ? subject : `${subject.slice(0, -hubName("", host).length)} on ${host}`;
}

/** What stands before a host's name in the id of the agent that stands for it. */
const HOST_AGENT = hostAgent("");

export function idOf(subject: string, openedAt: Instant): string {
  return `${subject}-${Math.trunc(openedAt).toString(36)}`;
}

/** The openings that still count at `now`, the new one included. */
export function episodesWith(before: readonly Instant[], opening: Instant): readonly Instant[] {
  return [...before.filter((at) => opening - at < REMEMBERED), opening].slice(-FLAPPING - 1);
}

/** It is kept at hand for a day after it was resolved: that is how flapping is known after a restart too. */
export function isOfInterest({ resolved }: Incident, now: Instant): boolean {
  return resolved === undefined || now - resolved.at < REMEMBERED;
}
