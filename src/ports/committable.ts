import type { RunOutcome } from "../core/action/state.ts";
import type { Beat } from "../core/beat.ts";
import type { Cycle } from "../core/cycle/cycle.ts";
import type { Delivery } from "../core/delivery/delivery.ts";
import type { Incident } from "../core/incident/incident.ts";
import { lookedAt } from "../core/liveness/memory.ts";
import { REASONS, STATES } from "../core/liveness/state.ts";
import type { BlindCause } from "../core/liveness/trust.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import type { RecordKind } from "./repositories.ts";
import { type Changes, type Persistable, type RollEntry, StoreError } from "./store.ts";

const CAUSES: Readonly<Record<BlindCause, true>> = {
  ...{ outage: true, suspend: true, step: true, store: true, lag: true, paused: true },
};
const OUTCOMES: Readonly<Record<NonNullable<Cycle["outcome"]>, true>> = {
  ...{ ok: true, error: true, crashed: true, killed: true, superseded: true },
};
const KINDS: Readonly<Record<RecordKind, true>> = {
  ...{ norm: true, silence: true, action: true, token: true, session: true, audit: true, ping: true },
  ...{ "ping-run": true, host: true, invite: true, command: true, inbox: true },
};
const INCIDENT_KINDS: Readonly<Record<Incident["kind"], true>> = { agent: true, group: true, reboot: true };
const DELIVERY_STATES: Readonly<Record<Delivery["state"], true>> = {
  ...{ pending: true, sending: true, sent: true, refused: true, expired: true, superseded: true },
};
const RECOVERY_STATES: Readonly<Record<Recovery["state"], true>> = {
  ...{ planned: true, acting: true, done: true, failed: true, dropped: true },
};
const RUN_OUTCOMES: Readonly<Record<RunOutcome, true>> = {
  ...{ done: true, failed: true, "timed-out": true, abandoned: true, crashed: true, skipped: true },
};

/**
 * What every store refuses, with the same error, before it keeps anything of the commit: a number that is not finite (a
 * column takes NaN for NULL, and JSON writes it as null), and a state, reason, cause, outcome or kind that nobody knows.
 * It runs for every beat, so it looks only at the dates of beats, which were checked when they came in, and at everything in
 * what is written rarely.
 */
export function checkChanges(changes: Changes): void {
  for (const agent of changes.agents ?? []) finite(agent, "agent", agent.id);
  for (const beat of changes.beats ?? []) checkBeat(beat, "beat", beat.id);
  for (const entry of changes.entries ?? []) checkEntry(entry);
  for (const flip of changes.flips ?? []) {
    finite(flip, "flip", flip.agent);
    known(STATES, flip.from, "flip", flip.agent, "from");
    known(STATES, flip.to, "flip", flip.agent, "to");
    known(REASONS, flip.reason, "flip", flip.agent, "reason");
  }
  for (const cycle of changes.cycles ?? []) {
    finite(cycle, "cycle", cycle.agent);
    if (cycle.outcome !== undefined) known(OUTCOMES, cycle.outcome, "cycle", cycle.agent, "outcome");
  }
  for (const span of changes.blind ?? []) {
    finite(span, "blind span", span.cause);
    known(CAUSES, span.cause, "blind span", span.cause, "cause");
  }
  for (const fact of changes.outgoing ?? []) finite(fact, "fact", fact.k);
  checkPersistable(changes);
  if (changes.mark !== undefined) finite(changes.mark, "mark", changes.mark.bootId);
}

function checkPersistable(changes: Persistable): void {
  for (const { incident } of changes.incidents ?? []) {
    finite(incident, "incident", incident.id);
    known(STATES, incident.state, "incident", incident.id, "state");
    known(INCIDENT_KINDS, incident.kind, "incident", incident.id, "kind");
  }
  for (const delivery of changes.deliveries ?? []) {
    finite(delivery, "delivery", delivery.key);
    known(DELIVERY_STATES, delivery.state, "delivery", delivery.key, "state");
  }
  for (const { recovery } of changes.recoveries ?? []) {
    finite(recovery, "recovery", recovery.id);
    known(RECOVERY_STATES, recovery.state, "recovery", recovery.id, "state");
  }
  for (const run of changes.runs ?? []) {
    finite(run, "run", run.id);
    known(RUN_OUTCOMES, run.outcome, "run", run.id, "outcome");
  }
  for (const issue of changes.issues ?? []) finite(issue, "issue", issue.key);
  for (const record of changes.records ?? []) {
    known(KINDS, record.kind, record.kind, record.id, "kind");
    finite(record, record.kind, record.id);
  }
}

const NOBODY: ReadonlySet<string> = new Set();

/** Entries and flips belong to agents that are on the roll once the commit has removed and added agents. */
export function checkOnRoll(changes: Changes, isOnRoll: (agent: string) => boolean): void {
  const { removed = [], agents = [], entries = [], flips = [] } = changes;
  const added = agents.length === 0 ? NOBODY : new Set(agents.map(({ id }) => id));
  const gone = removed.length === 0 ? NOBODY : new Set(removed);
  const check = (what: "entry" | "flip", id: string) => {
    if (!added.has(id) && (gone.has(id) || !isOnRoll(id))) throw notOnRoll(what, id);
  };
  for (const { agent } of entries) check("entry", agent);
  for (const { agent } of flips) check("flip", agent);
}

export function notOnRoll(what: "entry" | "flip", agent: string): StoreError {
  return refusal(what, agent, "belongs to no agent on the roll");
}

function checkEntry({ agent, standing, observations, lastBeat, rhythm, memories }: RollEntry): void {
  const { state, reason, at, basis, next } = standing.verdict;
  known(STATES, state, "entry", agent, "state");
  known(REASONS, reason, "entry", agent, "reason");
  number(standing.since, "entry", agent, "since");
  number(at, "entry", agent, "at");
  number(basis, "entry", agent, "basis");
  // Time alone may change nothing: then there is no next time to judge.
  if (next !== Number.POSITIVE_INFINITY) number(next, "entry", agent, "next");
  for (const fact of observations) {
    number(fact.at, "entry", agent, "observations.at");
    number(lookedAt(fact), "entry", agent, "observations.seenAt");
    finite(fact, "entry", agent);
  }
  if (lastBeat !== undefined) checkBeat(lastBeat, "entry", agent);
  if (rhythm !== undefined) finite(rhythm, "entry", agent);
  if (memories !== undefined) finite(memories, "entry", agent);
}

function checkBeat({ sentAt, receivedAt, cycle }: Beat, what: string, id: string): void {
  number(sentAt, what, id, "sentAt");
  number(receivedAt, what, id, "receivedAt");
  if (cycle !== undefined) number(cycle, what, id, "cycle");
}

function number(value: number, what: string, id: string, field: string): void {
  if (!Number.isFinite(value)) throw refusal(what, id, `has ${field} ${value}, which is not a finite number`);
}

function finite(value: object, what: string, id: string): void {
  const found = notFinite(value);
  if (found !== undefined) throw refusal(what, id, `has ${found}, which is not a finite number`);
}

/** The first number that is not finite, with the path to it; made only where there is one. */
function notFinite(value: object): string | undefined {
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (typeof field === "number") {
      if (!Number.isFinite(field)) return `${key} ${field}`;
    } else if (typeof field === "object" && field !== null) {
      const found = notFinite(field);
      if (found !== undefined) return `${key}.${found}`;
    }
  }
  return undefined;
}

function known(all: object, value: string, what: string, id: string, field: string): void {
  if (!Object.hasOwn(all, value)) throw refusal(what, id, `has the unknown ${field} "${value}"`);
}

function refusal(what: string, id: string, why: string): StoreError {
  return new StoreError("failed", `the ${what} of "${id}" ${why}: no store keeps that.`);
}
