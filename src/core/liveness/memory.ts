import type { Instant } from "../duration.ts";
import type { BeatHeard, Observation, ScreenRead } from "./observation.ts";
import { FUTURE_TOLERANCE } from "./trust.ts";

/** How many hosts are remembered under one id: two make a conflict, a third adds nothing. */
const HOSTS = 3;

/**
 * Adds a fact to those that are remembered of an agent, in place of what it replaces. Of each kind and signal
 * only the newest can matter to a verdict (of beats: the newest of each source and host; of readings: the newest that is proven, and that is not), so memory per agent is
 * constant, and neither the order of arrival nor a repetition changes what is remembered. What is dated in the
 * future of `now` (the clock was set back) is not believed: the next believable fact of its signal ends it, unless that
 * waited somewhere since before the clock was set at `steppedAt`, and so is older than what it would end.
 */
export function remember(
  known: readonly Observation[],
  fact: Observation,
  now: Instant,
  steppedAt: Instant = Number.NEGATIVE_INFINITY,
): readonly Observation[] {
  const believed = newestDate(fact) < steppedAt ? known : endUnbelieved(known, fact, now);
  const place = believed.findIndex((other) => sameSlot(other, fact));
  const old = believed[place];
  if (old === undefined) return forgetHosts([...believed, fact]);
  const kept = merge(old, fact);
  if (kept === old) return believed;
  const next = believed.slice();
  next[place] = kept;
  return next;
}

function endUnbelieved(
  known: readonly Observation[],
  fact: Observation,
  now: Instant,
): readonly Observation[] {
  const horizon = now + FUTURE_TOLERANCE;
  if (newestDate(fact) > horizon) return known;
  const ends = (other: Observation) =>
    other.signal === fact.signal && (newestDate(other) > horizon || isContradicted(other, fact, now));
  return known.some(ends) ? known.filter((other) => !ends(other)) : known;
}

/** Whether somebody is there is dated by our own clock: a look that lies ahead of it, however little, was before the clock was set. */
function isContradicted(other: Observation, fact: Observation, now: Instant): boolean {
  const isPresence = ({ kind }: Observation) => kind === "present" || kind === "gone";
  return isPresence(other) && isPresence(fact) && other.kind !== fact.kind && lookedAt(other) > now;
}

function sameSlot(a: Observation, b: Observation): boolean {
  if (a.kind !== b.kind || a.signal !== b.signal) return false;
  if (a.kind === "beat" && b.kind === "beat") return a.source === b.source && a.host === b.host;
  // What any program could have sent does not take the place of what the agent said.
  if (a.kind === "reading" && b.kind === "reading") return a.unproven === b.unproven;
  return a.kind !== "cycle" || b.kind !== "cycle" || a.event === b.event;
}

function merge(old: Observation, fact: Observation): Observation {
  const newer = isNewer(fact, old) ? fact : old;
  if (newer.kind === "reading" && old.kind === "reading" && fact.kind === "reading") {
    const askedAt = Math.max(askedIn(old), askedIn(fact));
    return askedAt === askedIn(newer) || !Number.isFinite(askedAt) ? newer : { ...newer, askedAt };
  }
  if (newer.kind !== "beat" || old.kind !== "beat" || fact.kind !== "beat") return newer;
  const firstAt = Math.min(old.firstAt, fact.firstAt);
  return newer.firstAt === firstAt ? newer : { ...newer, firstAt };
}

/** When a reading, or one before it, last said that it waits for a person. */
function askedIn({ reading, seenAt, askedAt = Number.NEGATIVE_INFINITY }: ScreenRead): Instant {
  return reading === "waiting" || reading === "login" ? Math.max(seenAt, askedAt) : askedAt;
}

/** Equal times are decided by content, so that the order of arrival decides nothing. */
export function isNewer(a: Observation, b: Observation): boolean {
  const [seenA, seenB] = [lookedAt(a), lookedAt(b)];
  if (seenA !== seenB) return seenA > seenB;
  if (a.at !== b.at) return a.at > b.at;
  return rank(a) > rank(b);
}

function rank(fact: Observation): string {
  // An error at the same instant wins over ok: trouble must not hide behind the order of two keys.
  const trouble = (fact.kind === "beat" && fact.status === "error") || (fact.kind === "cycle" && !fact.ok);
  // When the first beat was heard, and when it last asked, are sums of all that came, not a part of what this one says.
  const says = JSON.stringify(fact, (key, value: unknown) =>
    key === "firstAt" || key === "askedAt" ? undefined : value,
  );
  return `${trouble ? 1 : 0}${says}`;
}

/** When we knew it: passive facts have been looked at, the others arrive when they are true. */
export function lookedAt(fact: Observation): Instant {
  return "seenAt" in fact ? fact.seenAt : fact.at;
}

/** The newest moment of which a fact tells: one that lies in the future makes the whole fact unbelievable. */
export function newestDate(fact: Observation): Instant {
  const looked = Math.max(fact.at, lookedAt(fact));
  return fact.kind === "reading" ? Math.max(looked, fact.progressAt) : looked;
}

/** All dates of a fact in one whole number, whose sums do not depend on their order. */
export function datesOf(fact: Observation): number {
  const progress = fact.kind === "reading" ? Math.trunc(fact.progressAt) : 0;
  return Math.trunc(fact.at) + Math.trunc(lookedAt(fact)) + progress;
}

function forgetHosts(facts: readonly Observation[]): readonly Observation[] {
  const beats = facts.filter((fact): fact is BeatHeard => fact.kind === "beat");
  if (beats.length <= 2 * HOSTS) return facts;
  const oldest = beats.reduce((a, b) => (isNewer(a, b) ? b : a));
  return facts.filter((fact) => fact !== oldest);
}
