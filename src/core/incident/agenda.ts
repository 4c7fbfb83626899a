import { type Delivery, type Held, keyPrefixOf } from "../delivery/delivery.ts";
import type { Message } from "../delivery/message.ts";
import { type Instant, MINUTE, type Millis, SECOND } from "../duration.ts";
import { CALM, HOSTS, type Incident, isOpen, isSilence, type Told } from "./incident.ts";
import { matches, type Policy, type Route, type Silence, silencedUntil } from "./policy.ts";
import { resolve } from "./respond.ts";
import { askedNow, type Occasion, wordsFor } from "./words.ts";

/** Updates of a group's incident come no closer together than this. */
const UPDATES: Millis = 2 * MINUTE;
/** Reading a question takes about a second. */
const READ_WITHIN: Millis = 3 * SECOND;
const NEVER = Number.POSITIVE_INFINITY;

export interface Circumstances {
  readonly policy: Policy;
  readonly silences: readonly Silence[];
}

/** An incident after everything that is due has been queued, what was queued, and when to look again. */
export interface Advanced {
  readonly incident: Incident;
  readonly deliveries: readonly Delivery[];
  readonly next: Instant;
}

/** Queues whatever is due about an incident at `now`. The same incident at the same time gives the same keys. */
export function advance(before: Incident, circumstances: Circumstances, now: Instant): Advanced {
  const incident = calmed(before, now);
  const wait = withheldUntil(incident, circumstances, now);
  if (!isOpen(incident)) return tellEnd(incident, circumstances.policy, wait, now);
  const calmAt = incident.calmSince === undefined ? NEVER : incident.calmSince + CALM;
  if (incident.spokenForBy !== undefined) return { incident, deliveries: [], next: calmAt };
  // A flapping one that is well at the moment has nothing new to say.
  if (incident.calmSince !== undefined && toldAll(incident))
    return { incident, deliveries: [], next: calmAt };
  const told = tellOpen(incident, circumstances, wait, now);
  return { ...told, next: Math.min(told.next, calmAt) };
}

function calmed(incident: Incident, now: Instant): Incident {
  const { calmSince, host } = incident;
  // Whether an agent of another host is calm is for that host to say.
  if (host !== undefined || calmSince === undefined || !isOpen(incident) || !passed(calmSince, CALM, now))
    return incident;
  return resolve(incident, { at: now, how: "calm", why: "it flapped, but has been well for an hour" });
}

/** Whether so long has passed; if the beginning lies in the future the clock was set back, and it counts as passed. */
function passed(from: Instant, length: Millis, now: Instant): boolean {
  return now >= from + length || now < from - MINUTE;
}

/** Until when nothing is sent about an incident; a moment that is past if nothing holds it back. */
function withheldUntil(incident: Incident, { policy, silences }: Circumstances, now: Instant): Instant {
  if (routeOf(incident, policy)?.undisturbing === true) return 0;
  // Many at once are silenced only if each of them is.
  const silenced =
    silences.length === 0 && policy.maintained === undefined
      ? 0
      : subjectsOf(incident).reduce(
          (until, id) =>
            Math.min(
              until,
              Math.max(
                silencedUntil(silences, id, now, incident.group) ?? 0,
                policy.maintained?.(id, now) ?? 0,
              ),
            ),
          Number.POSITIVE_INFINITY,
        );
  const quiet = incident.severity === "critical" && isOpen(incident) ? 0 : (policy.quiet?.(now) ?? 0);
  return Math.max(silenced, quiet);
}

/** What holds back the messages about an incident, if anything does. */
export function heldBack(incident: Incident, circumstances: Circumstances, now: Instant): Held | undefined {
  const until = withheldUntil(incident, circumstances, now);
  if (until <= now) return undefined;
  const { quiet: _, ...always } = circumstances.policy;
  const { maintained: __, ...policy } = always;
  if (withheldUntil(incident, { ...circumstances, policy }, now) === until) return { until, by: "mute" };
  const isWindow = withheldUntil(incident, { ...circumstances, policy: always }, now) === until;
  return { until, by: isWindow ? "window" : "quiet hours" };
}

/** Whether anybody is told of it, now or later. */
export function isTold(incident: Incident, policy: Policy): boolean {
  return (routeOf(incident, policy)?.to.length ?? 0) > 0;
}

function routeOf(incident: Incident, { routes }: Policy): Route | undefined {
  return routes.find(
    ({ agents, states }) =>
      (states.includes(incident.state) || isOfHost(incident)) &&
      subjectsOf(incident).some((id) => matches(agents, id)),
  );
}

/** It is about a host, not about the state of an agent. */
function isOfHost({ kind, reason, group }: Incident): boolean {
  return kind === "reboot" || reason === "host-out-of-contact" || (kind === "group" && group === HOSTS);
}

/** The agents that it is about: a group's incident is about each of its members. */
function subjectsOf({ subject, members = [] }: Incident): readonly string[] {
  return members.length === 0 ? [subject] : members;
}

function toldAll({ told, change }: Incident): boolean {
  const all = Object.values(told);
  return all.length > 0 && all.every((each) => each.change === change);
}

/** When it may be told at the earliest: after the route's patience, and after the hold if it rests on silence. */
function readyAt(incident: Incident, after: Millis, hold: Millis): { from: Instant; length: Millis } {
  const held = incident.kind === "agent" && isSilence(incident.reason) ? hold : 0;
  return { from: incident.noticedAt, length: Math.max(after, held) };
}

function tellOpen(incident: Incident, { policy }: Circumstances, wait: Instant, now: Instant): Advanced {
  const route = routeOf(incident, policy);
  const deliveries: Delivery[] = [];
  const told: Record<string, Told> = { ...incident.told };
  let escalatedAt = incident.escalatedAt;
  let next = NEVER;
  const words = new Map<Occasion, Message>();
  const tell = (place: string, occasion: Occasion, reminders: number): void => {
    const message = words.get(occasion) ?? wordsFor(incident, occasion, now, policy);
    words.set(occasion, message);
    deliveries.push(deliveryOf(incident, place, occasion, reminders, message, now, policy.group));
    told[place] = { change: incident.change, at: now, reminders };
  };
  for (const place of route?.to ?? []) {
    const last = told[place];
    const due = dueFor(incident, last, route?.after ?? 0, policy);
    if (due === undefined) continue;
    const at = Math.max(due.from + due.length, wait);
    if (passed(due.from, due.length, now) && now >= wait) {
      tell(place, due.occasion, due.occasion === "reminder" ? (last?.reminders ?? 0) + 1 : 0);
      next = Math.min(next, now + policy.remindEvery);
    } else next = Math.min(next, at);
  }
  const first = Math.min(NEVER, ...Object.values(told).map(({ at }) => at));
  const { escalate } = policy;
  if (
    escalate !== undefined &&
    route?.undisturbing !== true &&
    escalatedAt === undefined &&
    incident.acknowledged === undefined &&
    first < NEVER
  ) {
    if (passed(first, escalate.after, now) && now >= wait) {
      for (const place of escalate.to) tell(place, "escalated", told[place]?.reminders ?? 0);
      escalatedAt = now;
    } else next = Math.min(next, Math.max(first + escalate.after, wait));
  }
  const { past: _, ...present } = incident;
  const after = { ...(deliveries.length > 0 ? present : incident), told };
  return { incident: escalatedAt === undefined ? after : { ...after, escalatedAt }, deliveries, next };
}

interface Due {
  readonly occasion: Occasion;
  readonly from: Instant;
  readonly length: Millis;
}

function dueFor(
  incident: Incident,
  last: Told | undefined,
  after: Millis,
  { hold, remindEvery }: Policy,
): Due | undefined {
  // A question is told as a question, also of one that flaps.
  const flaps = incident.flapping && incident.state !== "waiting";
  if (last === undefined) {
    return { occasion: flaps ? "flapping" : "opened", ...readyAt(incident, after, hold) };
  }
  if (last.change < incident.change) {
    const { change: flappedIn = incident.change } = incident.flaps ?? {};
    const occasion = flaps && last.change < flappedIn ? "flapping" : "changed";
    if (incident.kind === "group") return { occasion, from: last.at, length: UPDATES };
    return { occasion, ...readyAt(incident, after, hold) };
  }
  if (incident.acknowledged !== undefined) return undefined;
  // Its turns are not told while it flaps, so nobody knows yet that this one lasts.
  if (flaps && last.at < incident.noticedAt && CALM < remindEvery) {
    return { occasion: "reminder", from: incident.noticedAt, length: CALM };
  }
  return { occasion: "reminder", from: last.at, length: remindEvery };
}

/** Every place that got a message about the beginning gets one about the end. */
function tellEnd(incident: Incident, policy: Policy, wait: Instant, now: Instant): Advanced {
  if (incident.past === "untold") return tellPast(incident, policy, wait, now);
  const places = Object.keys(incident.told);
  if (places.length === 0 || incident.spokenForBy !== undefined)
    return { incident, deliveries: [], next: NEVER };
  if (now < wait) return { incident, deliveries: [], next: wait };
  const message = wordsFor(incident, "resolved", now, policy);
  const deliveries = places.map((place) =>
    deliveryOf(incident, place, "resolved", 0, message, now, policy.group),
  );
  return { incident: { ...incident, told: {} }, deliveries, next: NEVER };
}

/** What began and ended while its host was out of contact is told once. */
function tellPast(incident: Incident, policy: Policy, wait: Instant, now: Instant): Advanced {
  if (now < wait) return { incident, deliveries: [], next: wait };
  const message = wordsFor(incident, "past", now, policy);
  const places = routeOf(incident, policy)?.to ?? [];
  const deliveries = places.map((place) =>
    deliveryOf(incident, place, "past", 0, message, now, policy.group),
  );
  return { incident: { ...incident, past: "told" }, deliveries, next: NEVER };
}

/** A message about an agent that asks waits until its question has been read. */
function asksUnread(incident: Incident): boolean {
  const { kind, state, host, resolved } = incident;
  const isAsking = kind === "agent" && state === "waiting" && host === undefined && resolved === undefined;
  return isAsking && askedNow(incident) === undefined;
}

export function deliveryOf(
  incident: Incident,
  place: string,
  occasion: Occasion,
  reminders: number,
  message: Message,
  now: Instant,
  group: Millis,
): Delivery {
  const what =
    occasion === "reminder" ? `reminder-${incident.change}-${reminders}` : `${occasion}-${incident.change}`;
  return {
    key: `${keyPrefixOf(incident)}:${what}:${place}`,
    to: place,
    about: incident.subject,
    incident: incident.id,
    change: incident.change,
    says: occasion === "opened" || occasion === "resolved" ? occasion : "other",
    // The end of a group's incident that leaves some silent names them, and nothing else does.
    ...(occasion === "resolved" && (incident.resolved?.left?.length ?? 0) > 0 ? { must: true } : {}),
    message,
    createdAt: now,
    dueAt: now + Math.max(group, asksUnread(incident) ? READ_WITHIN : 0),
    state: "pending",
    attempts: 0,
  };
}
