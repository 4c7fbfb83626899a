import type { Instant } from "../duration.ts";
import { STATES, type State } from "../liveness/state.ts";
import type { Flip } from "../liveness/verdict.ts";
import {
  episodesWith,
  FLAPPING,
  type Incident,
  idOf,
  isOpen,
  isWell,
  REOPENS_WITHIN,
  type Resolution,
  type Severity,
  severityOf,
} from "./incident.ts";

/**
 * What a flip does to an agent's incident: the one that is open, or the last one if that is of interest. Undefined if
 * it does nothing.
 */
export function respond(incident: Incident | undefined, flip: Flip, group: string): Incident | undefined {
  const severity = severityOf(flip.to, flip.reason);
  if (severity === undefined) return ends(incident, flip);
  if (incident === undefined || !isOpen(incident)) return opens(incident, flip, group, severity);
  // The same trouble in another state: dead after it stalled, for example.
  const { calmSince, askedAt, ...rest } = incident;
  const asks = flip.to === "waiting";
  const kept = asks && askedAt !== undefined ? { ...rest, askedAt } : rest;
  const again = calmSince === undefined ? {} : { againAt: flip.at };
  const changed: Incident = { ...kept, ...troubleOf(flip, severity), ...again };
  // A budget that was told of is no news.
  if (flip.reason === "over-budget" && incident.overBudget === true) return changed;
  const change = incident.change + 1;
  if (!incident.flapping || asks) return { ...changed, change };
  // While it flaps, its turns were told already, unless one is worse than all before.
  const { flaps } = incident;
  return flaps === undefined || !isWorse(flip.to, flaps.worst)
    ? changed
    : { ...changed, change, flaps: { ...flaps, worst: flip.to } };
}

/** The table of states begins with the worst. */
function isWorse(a: State, b: State): boolean {
  return STATE_NAMES.indexOf(a) < STATE_NAMES.indexOf(b);
}

const STATE_NAMES = Object.keys(STATES);

/** The trouble that a flip tells of. */
function troubleOf({ to, reason, why, at, noticedAt }: Flip, severity: Severity) {
  const budget = reason === "over-budget" ? ({ overBudget: true } as const) : {};
  return { state: to, reason, why, severity, since: at, noticedAt, ...budget };
}

function opens(last: Incident | undefined, flip: Flip, group: string, severity: Severity): Incident {
  const now = troubleOf(flip, severity);
  // An agent that asks again and again does what it should: its questions are no flapping.
  const asks = flip.to === "waiting";
  const before = last?.episodes.filter((at) => at !== last.askedAt) ?? [];
  // A pause does not end the trouble: what it brings back is no opening of its own, although it begins anew.
  const isBack = flip.from === "paused" && last?.resolved?.how === "paused" && last.askedAt === undefined;
  const past = isBack ? before.slice(0, -1) : before;
  const episodes = episodesWith(past, flip.noticedAt);
  const flapping = !asks && episodes.length >= FLAPPING;
  const question = asks ? { askedAt: flip.noticedAt } : {};
  const again = last?.resolved !== undefined && flip.noticedAt - last.resolved.at < REOPENS_WITHIN;
  if (last !== undefined && again && last.resolved?.how !== "by-hand") {
    const { resolved: _, calmSince: __, askedAt: ___, flaps: ____, ...rest } = untaken(last);
    const reopened = { ...rest, ...now, ...question, againAt: flip.at, episodes, flapping };
    return { ...reopened, ...flapsOf(flapping, flip, last.change + 1), change: last.change + 1 };
  }
  return {
    id: idOf(flip.agent, Math.max(flip.at, (last?.openedAt ?? 0) + 1)),
    kind: "agent",
    subject: flip.agent,
    group,
    ...now,
    ...question,
    openedAt: flip.at,
    episodes,
    flapping,
    ...flapsOf(flapping, flip, (last?.change ?? 0) + 1),
    // Whoever was told of the last one and not yet of its end hears of this one as a change.
    change: (last?.change ?? 0) + 1,
    told: last?.told ?? {},
  };
}

/**
 * An incident that opens again, without what people did about it before: its end was told, so the new trouble is reminded
 * of and escalated until a person acknowledges it.
 */
export function untaken(incident: Incident): Incident {
  const { acknowledged: _, escalatedAt: __, spokenForBy: ___, ...rest } = incident;
  return rest;
}

function flapsOf(flapping: boolean, { to }: Flip, change: number): Pick<Incident, "flaps"> {
  return flapping ? { flaps: { change, worst: to } } : {};
}

function ends(incident: Incident | undefined, flip: Flip): Incident | undefined {
  if (incident === undefined || !isOpen(incident)) return undefined;
  if (flip.to === "paused") {
    return resolve(incident, { at: flip.noticedAt, how: "paused", why: "an operator paused the agent" });
  }
  if (!isWell(flip.to)) return undefined;
  // One that flaps is well only after a while.
  if (incident.flapping) return { ...incident, calmSince: flip.noticedAt };
  return resolve(incident, { at: flip.noticedAt, how: "recovered", why: `${flip.to}: ${flip.why}` });
}

export function resolve(incident: Incident, resolved: Resolution): Incident {
  const { calmSince: _, ...rest } = incident;
  return { ...rest, resolved };
}

export function acknowledge(incident: Incident, by: string, at: Instant): Incident {
  return incident.acknowledged === undefined ? { ...incident, acknowledged: { at, by } } : incident;
}
