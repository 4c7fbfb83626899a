import type { AuditEntry, Token } from "../core/access/token.ts";
import type { Run } from "../core/action/state.ts";
import type { Beat } from "../core/beat.ts";
import type { Cycle } from "../core/cycle/cycle.ts";
import type { Delivery, Held } from "../core/delivery/delivery.ts";
import { type FailingPlace, type ToldPlace, toldOf } from "../core/delivery/told.ts";
import { type Instant, iso } from "../core/duration.ts";
import { hostOf, type Incident } from "../core/incident/incident.ts";
import type { Silence } from "../core/incident/policy.ts";
import { askedNow } from "../core/incident/words.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { Ping } from "../core/ping/ping.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import type { NextStep } from "../core/recovery/words.ts";

// Times leave the process as text; what is not there is null.

export type BeatView = ReturnType<typeof showBeat>;
export type FlipView = ReturnType<typeof showFlip>;
export type CycleView = ReturnType<typeof showCycle>;
export type IncidentView = ReturnType<typeof showIncident>;
export type DeliveryView = ReturnType<typeof showOutbox>;
export type SilenceView = ReturnType<typeof showSilence>;
export type TokenView = ReturnType<typeof showToken>;
export type PingView = ReturnType<typeof showPing>;
export type AuditView = ReturnType<typeof showAudit>;
export type IncidentWithMessages = ReturnType<typeof showWithMessages>;

export function showBeat({ sentAt, receivedAt, until, ...rest }: Beat) {
  const ends = until === undefined ? {} : { until: iso(until) };
  return { ...rest, ...ends, sentAt: iso(sentAt), receivedAt: iso(receivedAt) };
}

export function showCycle({ beganAt, lastAt, endedAt, ...rest }: Cycle) {
  return { ...rest, beganAt: iso(beganAt), lastAt: iso(lastAt), endedAt: orNull(endedAt) };
}

export function showFlip({ at, noticedAt, ...rest }: Flip) {
  return { ...rest, at: iso(at), noticedAt: iso(noticedAt) };
}

export function showIncident(incident: Incident) {
  const { id, kind, subject, group, state, reason, why, severity, flapping } = incident;
  const { acknowledged, resolved, findings } = incident;
  const asked = askedNow(incident);
  return {
    ...{ id, kind, subject, group, host: hostOf(incident) ?? null, state, reason, why, severity, flapping },
    open: resolved === undefined,
    openedAt: iso(incident.openedAt),
    reopenedAt: orNull(incident.againAt),
    since: iso(incident.since),
    noticedAt: iso(incident.noticedAt),
    times: incident.episodes.length,
    acknowledged: acknowledged === undefined ? null : { at: iso(acknowledged.at), by: acknowledged.by },
    resolved: resolved === undefined ? null : { ...resolved, at: iso(resolved.at) },
    escalatedAt: orNull(incident.escalatedAt),
    spokenForBy: incident.spokenForBy ?? null,
    members: incident.members ?? null,
    queued: Object.entries(incident.told).map(([place, { at, reminders }]) => ({
      place,
      at: iso(at),
      reminders,
    })),
    findings: findings === undefined ? null : { at: iso(findings.at), items: findings.items },
    issue: incident.issue ?? null,
    asked:
      asked === undefined
        ? null
        : { text: asked.text, choices: asked.choices, fingerprint: asked.fingerprint },
  };
}

export function showDelivery({ createdAt, dueAt, endedAt, ...rest }: Delivery) {
  const { key, to, about, state, attempts, message } = rest;
  return {
    ...{ key, to, about, state, attempts, message },
    incident: rest.incident ?? null,
    batch: rest.batch ?? null,
    problem: rest.problem ?? null,
    createdAt: iso(createdAt),
    dueAt: iso(dueAt),
    triedAt: orNull(rest.triedAt),
    endedAt: orNull(endedAt),
  };
}

function showHeld(held: Held | undefined) {
  return held === undefined ? null : { until: iso(held.until), by: held.by };
}

/** A delivery with what holds it back now. */
export function showOutbox(delivery: Delivery, held: Held | undefined) {
  return { ...showDelivery(delivery), held: showHeld(held) };
}

export type ToldView = ReturnType<typeof showTold>;

function showTold({ deliveredAt, since, problem, dueAt, held, ...rest }: ToldPlace) {
  const dates = { deliveredAt: orNull(deliveredAt), since: orNull(since), dueAt: orNull(dueAt) };
  return { ...rest, ...dates, problem: problem ?? null, held: showHeld(held) };
}

/** An incident with who was told of it, and every message about it. */
export function showWithMessages(
  incident: Incident,
  deliveries: readonly Delivery[],
  heldOf: (delivery: Delivery) => Held | undefined,
) {
  return {
    incident: showIncident(incident),
    told: toldOf(deliveries, heldOf).map(showTold),
    deliveries: deliveries.map((delivery) => showOutbox(delivery, heldOf(delivery))),
  };
}

export type FailingView = ReturnType<typeof showFailing>;

export function showFailing({ since, ...rest }: FailingPlace) {
  return { ...rest, since: iso(since) };
}

/** The hub of a host, and how the way to it is. */
export interface ReportsToView {
  readonly url: string;
  /** What the host is called there. */
  readonly host: string;
  readonly state: "in contact" | "out of contact" | "refused" | "not tried yet";
  readonly since: string;
  readonly problem: string | null;
}

/** What the API shows of the watcher itself. */
export interface WatcherInfo {
  readonly running: true;
  readonly pid: number;
  readonly host: string;
  readonly version: string;
  readonly startedAt: string;
  readonly url: string;
  /** Whether other hosts may report to it. */
  readonly hub: boolean;
  /** The hub that it reports to, if it does. */
  readonly reportsTo: ReportsToView | null;
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
  /** The last beat from the spool that was refused within an hour. */
  readonly refusedBeat: { readonly at: string; readonly why: string } | null;
  /** The channels that deliver nothing at the moment. */
  readonly failingChannels: readonly FailingView[];
  /** The clients of coding agents that told something of themselves: how often since the start, and when last. */
  readonly hooks: readonly {
    readonly client: string;
    readonly events: number;
    readonly lastEventAt: string | null;
  }[];
}

export function showRefused(refused: { readonly at: Instant; readonly why: string } | undefined) {
  return refused === undefined ? null : { at: iso(refused.at), why: refused.why };
}

export function showSilence({ from, until, ...rest }: Silence) {
  return { ...rest, from: iso(from), until: iso(until) };
}

export function showPing({ at, exitCode, rid, body, ...rest }: Ping) {
  return { ...rest, at: iso(at), exitCode: exitCode ?? null, rid: rid ?? null, body: body ?? null };
}

/** Never its hash: nobody needs it. */
export function showToken({ hash: _, createdAt, revokedAt, agent, person, pingKey, ...rest }: Token) {
  return {
    ...rest,
    person: person ?? null,
    agent: agent ?? null,
    pingKey: pingKey === true,
    createdAt: iso(createdAt),
    revokedAt: orNull(revokedAt),
  };
}

export function showAudit({ at, from, ...rest }: AuditEntry) {
  return { ...rest, at: iso(at), from: from ?? null };
}

function orNull(at: Instant | undefined): string | null {
  return at === undefined ? null : iso(at);
}

export type RecoveryView = ReturnType<typeof showRecovery>;
export type RunView = ReturnType<typeof showRun>;

export interface ActionView {
  readonly name: string;
  readonly description: string;
  readonly schedule: string;
  readonly timezone: string;
  /** The schedule in words. */
  readonly words: string;
  readonly enabled: boolean;
  readonly running: boolean;
  readonly nextAt: string | null;
  readonly failures: number;
  readonly lastRun: RunView | null;
}

export function showRun(run: Run) {
  return {
    ...{ id: run.id, action: run.action, outcome: run.outcome },
    dueAt: iso(run.dueAt),
    startedAt: orNull(run.startedAt),
    endedAt: orNull(run.endedAt),
    reason: run.reason ?? null,
    from: orNull(run.from),
    count: run.count ?? null,
    message: run.message ?? null,
    problem: run.problem ?? null,
    metadata: run.metadata ?? null,
  };
}

export type NextStepView = ReturnType<typeof showNextStep>;

export function showNextStep({ step, why, at }: NextStep) {
  return { step: step ?? null, why, at: orNull(at) };
}

export function showRecovery(recovery: Recovery) {
  const { id, incident, agent, state, why } = recovery;
  return {
    ...{ id, incident, agent, step: recovery.do, state, why },
    plannedAt: iso(recovery.plannedAt),
    startedAt: orNull(recovery.startedAt),
    endedAt: orNull(recovery.endedAt),
  };
}
