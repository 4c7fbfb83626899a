import { type Instant, MINUTE, type Millis, SECOND } from "../duration.ts";
import { type Dissent, fuse } from "./fusion.ts";
import { datesOf, isNewer, lookedAt, newestDate } from "./memory.ts";
import type {
  Activity,
  BeatHeard,
  BudgetMark,
  Contact,
  CycleMark,
  Degraded,
  Gone,
  HostVerdict,
  Observation,
  Presence,
  Repeats,
  RunsMark,
  ScreenRead,
  WorkMark,
} from "./observation.ts";
import { FUTURE_TOLERANCE } from "./trust.ts";

/** The observations of one agent, sorted into the questions that the rows of the table ask. */
export interface Facts {
  /** The newest beat of the agent itself, and of anybody. */
  ownBeat: BeatHeard | undefined;
  lastBeat: BeatHeard | undefined;
  begun: CycleMark | undefined;
  ended: CycleMark | undefined;
  presence: Presence | undefined;
  gone: Gone | undefined;
  /** Since when a program is in the foreground of its terminal. */
  frontSince: Instant | undefined;
  activity: Activity | undefined;
  /** The newest activity other than what is recorded of its work: only the agent itself leaves it. */
  trace: Activity | undefined;
  /** What is believed of all that its screen, its transcript and the agent itself say, and who says otherwise. */
  screen: ScreenRead | undefined;
  dissent: Dissent | undefined;
  work: WorkMark | undefined;
  /** The calls that it repeats. */
  repeats: Repeats | undefined;
  budget: BudgetMark | undefined;
  runs: RunsMark | undefined;
  /** What its host judged, and whether that host is out of contact. */
  verdict: HostVerdict | undefined;
  contact: Contact | undefined;
  beats: BeatHeard[];
  /** Newest first. */
  degraded: Degraded[];
  /** The newest stamp that the beat rule counts: a beat, or a cycle's begin or end. */
  stamp: Instant | undefined;
  /** The newest stamp that is not believed, because it lies in the future. */
  futureStamp: Instant | undefined;
  /** What is known, as one number: it changes with every new fact. Zero if nothing is known. */
  basis: number;
  /** When the first of what is not yet believed becomes believable. */
  ripensAt: Instant;
  /** When we last looked at anything that could be read. */
  looked: Instant;
}

/** Sorts in one pass: this runs for every beat. `beatsFor`: how long the state that a beat told counts. */
export function sortFacts(observations: readonly Observation[], now: Instant, beatsFor?: Millis): Facts {
  const horizon = now + FUTURE_TOLERANCE;
  const facts: Facts = {
    ownBeat: undefined,
    lastBeat: undefined,
    begun: undefined,
    ended: undefined,
    presence: undefined,
    gone: undefined,
    frontSince: undefined,
    activity: undefined,
    trace: undefined,
    screen: undefined,
    dissent: undefined,
    work: undefined,
    repeats: undefined,
    budget: undefined,
    runs: undefined,
    verdict: undefined,
    contact: undefined,
    beats: [],
    degraded: [],
    stamp: undefined,
    futureStamp: undefined,
    basis: 0,
    ripensAt: Number.POSITIVE_INFINITY,
    looked: Number.NEGATIVE_INFINITY,
  };
  for (const fact of observations) {
    if (fact.kind !== "degraded") continue;
    if (fact.at <= horizon) facts.degraded.push(fact);
    else facts.ripensAt = Math.min(facts.ripensAt, fact.at - FUTURE_TOLERANCE);
  }
  if (facts.degraded.length > 1) facts.degraded.sort((a, b) => (isNewer(a, b) ? -1 : 1));
  let readings: ScreenRead[] | undefined;
  const ends = endsOfEarlierLives(observations);
  for (const fact of observations) {
    // That we could not read is no news of the agent.
    if (fact.kind === "degraded") continue;
    facts.basis += datesOf(fact);
    const newest = newestDate(fact);
    // A host's word counts whatever our clock says: hosts speak in their order.
    if (newest > horizon && fact.signal !== "host") {
      facts.ripensAt = Math.min(facts.ripensAt, newest - FUTURE_TOLERANCE);
      if (fact.signal === "beat") facts.futureStamp = Math.max(facts.futureStamp ?? newest, newest);
    } else if (!isBroken(facts, fact) && !isOfEarlierLife(fact, ends)) {
      // What it used is no look at the agent.
      if (fact.kind !== "budget") facts.looked = Math.max(facts.looked, lookedAt(fact));
      if (fact.kind === "reading") {
        readings ??= [];
        readings.push(fact);
      } else if (fact.kind !== "gone" || !ends.includes(fact)) place(facts, fact);
    }
  }
  if (readings !== undefined) {
    const { reading, next, dissent } = fuse(readings, now, beatsFor);
    facts.screen = reading;
    facts.dissent = dissent;
    facts.ripensAt = Math.min(facts.ripensAt, next);
  }
  // What was recorded of work says nothing once the work is done: nobody is alive or stalls by it. Nor does it where an agent
  // beats and shows nothing else: its beats decide.
  if (facts.work?.open !== true || isBeatAlone(facts)) facts.activity = facts.trace;
  return facts;
}

/** It is known by its beats, and has no signal that sees it. */
function isBeatAlone({ stamp, trace, presence, gone, screen, degraded }: Facts): boolean {
  const unseen = presence === undefined && gone === undefined && screen === undefined && trace === undefined;
  return stamp !== undefined && unseen && degraded.every(({ signal }) => signal === "beat");
}

/**
 * What was last read before its signal broke says nothing now: the next best decides. A beat that was heard
 * remains heard; of beats a broken signal only means that silence proves nothing (`deafSince`).
 */
function isBroken({ degraded }: Facts, fact: Observation): boolean {
  if (degraded.length === 0 || fact.signal === "beat") return false;
  return degraded.some((broken) => broken.signal === fact.signal && broken.at >= lookedAt(fact));
}

/**
 * The signal that saw it go has seen it since. Another signal's older word must not hide that, and neither must a clock that was
 * set back, so that only the older of the two looks is believed.
 */
function isSeenAgain(gone: Gone, observations: readonly Observation[]): boolean {
  return observations.some(
    ({ kind, signal, at }) => kind === "present" && signal === gone.signal && at > gone.seenAt,
  );
}

const NONE: readonly Gone[] = [];

/** Ends after which the signal that saw them has seen the agent again. */
function endsOfEarlierLives(observations: readonly Observation[]): readonly Gone[] {
  if (!observations.some((fact) => fact.kind === "gone")) return NONE;
  return observations.filter((fact): fact is Gone => fact.kind === "gone" && isSeenAgain(fact, observations));
}

/** What a signal saw before it saw the end of one life is no trace of the next one. */
function isOfEarlierLife(fact: Observation, ends: readonly Gone[]): boolean {
  if (ends.length === 0 || (fact.kind !== "reading" && fact.kind !== "activity")) return false;
  return ends.some((end) => end.signal === fact.signal && lookedAt(fact) <= lookedAt(end));
}

/** Set if beats could not be read since the last one was heard. */
export function deafSince({ degraded, stamp }: Facts): Degraded | undefined {
  return degraded.find(({ signal, at }) => signal === "beat" && (stamp === undefined || at >= stamp));
}

function place(facts: Facts, fact: Exclude<Observation, Degraded | ScreenRead>): void {
  switch (fact.kind) {
    case "beat":
      facts.beats.push(fact);
      facts.lastBeat = newer(facts.lastBeat, fact);
      if (fact.source === "agent") facts.ownBeat = newer(facts.ownBeat, fact);
      facts.stamp = Math.max(facts.stamp ?? fact.at, fact.at);
      break;
    case "cycle":
      if (fact.event === "begun") facts.begun = newer(facts.begun, fact);
      else facts.ended = newer(facts.ended, fact);
      facts.stamp = Math.max(facts.stamp ?? fact.at, fact.at);
      break;
    case "present":
      facts.presence = newer(facts.presence, fact);
      break;
    case "gone":
      facts.gone = sameEnd(facts.gone, fact) ?? newer(facts.gone, fact);
      break;
    case "activity":
      facts.activity = newer(facts.activity, fact);
      if (fact.signal !== "work") facts.trace = newer(facts.trace, fact);
      break;
    case "machine":
      if (fact.front === "program") facts.frontSince = fact.at;
      break;
    case "work":
      facts.work = newer(facts.work, fact);
      break;
    case "repeats":
      facts.repeats = closer(facts.repeats, fact);
      break;
    case "budget":
      facts.budget = newer(facts.budget, fact);
      break;
    case "runs":
      facts.runs = newer(facts.runs, fact);
      break;
    case "verdict":
      facts.verdict = newer(facts.verdict, fact);
      break;
    case "contact":
      facts.contact = newer(facts.contact, fact);
      break;
  }
}

/** Two signals that read one terminal date its end so far apart at most. */
const APART: Millis = 5 * SECOND;
/** A terminal is looked at once a round: its end is dated so much earlier than what its client says of its own. */
const LOST: Millis = MINUTE;

/**
 * Of two signals that saw one end on a terminal and differ in how it ended: the words of a crash count, and without them
 * whoever saw it idle. Whoever looked last must not decide that, or the verdict changes with every look.
 */
function sameEnd(a: Gone | undefined, b: Gone): Gone | undefined {
  if (a === undefined || a.clean === b.clean || a.signal === b.signal) return undefined;
  const [clean, unclean] = a.clean ? [a, b] : [b, a];
  // A client that ends in good order because its terminal was taken away was not ended by anybody.
  if (unclean.lost === true && Math.abs(a.at - b.at) <= LOST) return clean.byHand === true ? clean : unclean;
  if (a.shell === undefined || b.shell === undefined || Math.abs(a.at - b.at) > APART) return undefined;
  return unclean.shell === "crash" ? unclean : clean;
}

/** Its hooks tell of a call as it begins, its transcript a round later: so long the hooks are believed first. */
const CLOSER: Millis = 10 * MINUTE;

function closer(old: Repeats | undefined, fact: Repeats): Repeats {
  if (old === undefined) return fact;
  const [hook, other] = fact.signal === "hook" ? [fact, old] : [old, fact];
  return hook.signal === "hook" && hook.seenAt >= other.seenAt - CLOSER ? hook : newer(old, fact);
}

/** The one that was looked at later; of two at once, by the order that does not depend on arrival. */
function newer<F extends Observation>(old: F | undefined, fact: F): F {
  return old === undefined || isNewer(fact, old) ? fact : old;
}
