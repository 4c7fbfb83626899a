import { type Agent, isPaused } from "../core/agent.ts";
import { type Beat, beatAt } from "../core/beat.ts";
import { type Cycle, cycleAfter } from "../core/cycle/cycle.ts";
import type { Instant } from "../core/duration.ts";
import type { Case, Standing } from "../core/liveness/case.ts";
import { evidenceOf } from "../core/liveness/evidence.ts";
import { flip, judge } from "../core/liveness/judge.ts";
import { remember } from "../core/liveness/memory.ts";
import { type Observation, observationsOf } from "../core/liveness/observation.ts";
import {
  FULL_TRUST,
  lastBreakEnd,
  lastStepEnd,
  type Trust,
  trusted,
  withPause,
} from "../core/liveness/trust.ts";
import { withoutClaims } from "../core/liveness/unproven.ts";
import { type Evidence, type Flip, NO_BASIS, type Verdict } from "../core/liveness/verdict.ts";
import type { Norm } from "../core/rhythm/norm.ts";
import type { RollEntry } from "../ports/store.ts";
import { learn, limitsOf } from "./learning.ts";

/** An agent's place on the roll, as the watcher holds it in memory. It is replaced, never changed. */
export interface RollPlace {
  readonly agent: Agent;
  readonly entry: RollEntry;
  /** The newest cycle that is known of it. */
  readonly cycle?: Cycle | undefined;
  /** Earlier cycles that are still under way, where runs of one agent overlap. */
  readonly older?: readonly Cycle[] | undefined;
}

/** Written out, as is whatever is made for every beat: a copy of an object with another field takes far longer. */
function withEntry({ agent, cycle, older }: RollPlace, entry: RollEntry): RollPlace {
  return { agent, entry, cycle, older };
}

/** So many runs of one agent at once are told apart. */
const OVERLAPPING = 64;

/** A place for an agent of which nothing is known yet. */
export function newPlace(agent: Agent): RollPlace {
  const verdict: Verdict = {
    state: "new",
    reason: "registered",
    why: "registered",
    at: agent.addedAt,
    basis: 0,
    next: 0,
  };
  const standing = { verdict, since: agent.addedAt };
  return {
    agent,
    entry: { agent: agent.id, standing, observations: [] },
    cycle: undefined,
    older: undefined,
  };
}

/** The place after a beat, not yet judged. A repeated or late beat leaves what is newer as it was. */
export function hear(place: RollPlace, beat: Beat, now: Instant, trust: Trust): RollPlace {
  // The same one again is no new sign of life, whenever it arrives: the store keeps it once.
  if (place.entry.lastBeat?.id === beat.id) return place;
  let observations: readonly Observation[] = place.entry.observations;
  const steppedAt = lastStepEnd(trust, now);
  for (const fact of observationsOf(beat)) observations = remember(observations, fact, now, steppedAt);
  const known = place.entry.lastBeat;
  const lastBeat = known === undefined || isAfter(beat, known, now) ? beat : known;
  const { agent, standing, rhythm, memories } = place.entry;
  const entry: RollEntry = { agent, standing, observations, lastBeat, rhythm, memories };
  return withCycle(withEntry(place, entry), beat, lastBeat === beat);
}

/** The place with the cycle that a beat is of. A late beat begins no cycle again. */
function withCycle(place: RollPlace, beat: Beat, isNewest: boolean): RollPlace {
  if (beat.cycle === undefined) return place;
  const overlapped = olderCycle(place, beat);
  if (overlapped !== undefined) {
    const others = (place.older ?? []).filter(({ number }) => number !== beat.cycle);
    return { ...place, older: overlapped.outcome === undefined ? [...others, overlapped] : others };
  }
  const current = place.cycle;
  if (current !== undefined && beat.cycle < current.number && !isNewest) return place;
  const cycle = cycleAfter(current?.number === beat.cycle ? current : undefined, beat);
  if (cycle === undefined) return place;
  if (current === undefined || !goesOnBeside(current, beat, place.entry.observations))
    return { ...place, cycle };
  return { ...place, cycle, older: [...(place.older ?? []), current].slice(-OVERLAPPING) };
}

/** The earlier cycle that a beat is of, as it is after it; undefined if the beat is of the newest or a new one. */
export function olderCycle(place: RollPlace, beat: Beat): Cycle | undefined {
  if (place.older === undefined || beat.cycle === place.cycle?.number) return undefined;
  const known = place.older.find(({ number }) => number === beat.cycle);
  return known === undefined ? undefined : cycleAfter(known, beat);
}

/** Runs that pings tell of may overlap. Any other cycle is over when the next one begins. */
function goesOnBeside(current: Cycle, beat: Beat, observations: readonly Observation[]): boolean {
  return (
    beat.cycleEvent === "begun" &&
    current.number !== beat.cycle &&
    current.outcome === undefined &&
    current.incarnation === undefined &&
    current.beganAt >= oldestRun(observations)
  );
}

/** When the oldest run that is under way began; Infinity if none is. */
function oldestRun(observations: readonly Observation[]): Instant {
  for (const fact of observations) if (fact.kind === "runs") return fact.openSince ?? Infinity;
  return Infinity;
}

/** The open cycles that a change of the place has left behind: nothing told their end. */
export function leftCycles(before: RollPlace, after: RollPlace): readonly Cycle[] {
  if (before.cycle?.number === after.cycle?.number && before.older === after.older) return [];
  const held = new Set([after.cycle, ...(after.older ?? [])].map((cycle) => cycle?.number));
  const open = (before.older ?? []).concat(before.cycle ?? []);
  return open.filter(({ number, outcome }) => outcome === undefined && !held.has(number));
}

function isAfter(beat: Beat, known: Beat, now: Instant): boolean {
  // A stamp from the future (our clock was set back) does not stand in the way.
  return beatAt(beat) >= beatAt(known) || beatAt(known) > now;
}

/** The place after facts that its signals brought, not yet judged. */
export function notice(
  place: RollPlace,
  facts: readonly Observation[],
  memories: Readonly<Record<string, unknown>>,
  trust: Trust,
  now: Instant,
): RollPlace {
  let { observations, rhythm } = place.entry;
  for (const fact of facts) {
    // Of a host only that it was heard now counts, whatever our clock said before.
    observations = place.agent.hostKind === undefined ? remember(observations, fact, now) : [fact];
    rhythm = learn(rhythm, fact, trust);
  }
  const { agent, standing, lastBeat } = place.entry;
  const all = { ...place.entry.memories, ...memories };
  const entry = { agent, standing, observations, lastBeat, rhythm, memories: all };
  if (place.older === undefined || !facts.some(({ kind }) => kind === "runs")) return withEntry(place, entry);
  const oldest = oldestRun(observations);
  return { ...place, entry, older: place.older.filter(({ beganAt }) => beganAt >= oldest) };
}

/** What is believed of it at `now`: the same question that the loop asks, for anybody who reads. */
export function verdictAt(place: RollPlace, now: Instant, trust: Trust, norm?: Norm): Verdict {
  return judge(caseOf(place, now, trust, norm, false));
}

/** The place as it would be without what unproven beats claim, to be judged afresh; undefined if none claims anything. */
export function withoutUnproven(place: RollPlace): RollPlace | undefined {
  const { entry } = place;
  const observations = withoutClaims(entry.observations);
  if (observations === entry.observations) return undefined;
  const verdict = { ...entry.standing.verdict, basis: NO_BASIS };
  return withEntry(place, { ...entry, observations, standing: { ...entry.standing, verdict } });
}

/** Everything that was known of it at `now`, in words. */
export function evidenceAt(place: RollPlace, now: Instant, trust: Trust): readonly Evidence[] {
  return evidenceOf(caseOf(place, now, trust, undefined, false));
}

function caseOf(
  { agent, entry }: RollPlace,
  now: Instant,
  trust: Trust,
  norm: Norm | undefined,
  lasting: boolean,
): Case {
  const { rhythm } = entry;
  return {
    previous: entry.standing,
    observations: entry.observations,
    rule: agent.rule,
    limits: rhythm && limitsOf(rhythm, agent.stall, trusted(trust, now), norm),
    addedAt: agent.addedAt,
    pausedAt: isPaused(agent) ? (agent.pausedAt ?? now) : undefined,
    hostKind: agent.hostKind,
    now,
    trust: trustFor(agent, trust, now),
    lasting,
  };
}

/** While it was paused we did not watch it, whatever else we watched. */
function trustFor(agent: Agent, trust: Trust, now: Instant): Trust {
  // Its host watched it, whatever we did.
  if (agent.host !== undefined) return FULL_TRUST;
  const { pausedAt, resumedAt } = redated(agent, trust, now);
  return withPause(trust, pausedAt, resumedAt);
}

/**
 * A pause that lies in the future was before the clock was set back: it ended, or began, by then at the latest. It is
 * dated so for good, or it would excuse the agent once more when the clock has caught up with it, and not before.
 */
export function redated(agent: Agent, trust: Trust, now: Instant): Agent {
  const { pausedAt = 0, resumedAt = 0 } = agent;
  if (Math.max(pausedAt, resumedAt) <= now) return agent;
  const end = lastBreakEnd(trust, now) ?? now;
  if (isPaused(agent)) {
    const { resumedAt: _, ...paused } = agent;
    return { ...paused, pausedAt: Math.min(pausedAt, end) };
  }
  return { ...agent, pausedAt: Math.min(pausedAt, end - (resumedAt - pausedAt)), resumedAt: end };
}

const LINE_END = /\n/;

/** The place judged at `now`, with the flip if its state changed. What it says is kept, and must stay true. */
export function judged(
  place: RollPlace,
  now: Instant,
  trust: Trust,
  norm?: Norm,
): { place: RollPlace; flip: Flip | undefined } {
  const previous = place.entry.standing;
  const verdict = inOnePiece(judge(caseOf(place, now, trust, norm, true)));
  const change =
    verdict.state === previous.verdict.state
      ? undefined
      : flip(place.agent.id, previous, verdict, now, trustFor(place.agent, trust, now));
  const standing: Standing = { verdict, since: change === undefined ? previous.since : change.at };
  const { agent, observations, lastBeat, rhythm, memories } = place.entry;
  const entry: RollEntry = { agent, standing, observations, lastBeat, rhythm, memories };
  return { place: withEntry(place, entry), flip: change };
}

/** V8 keeps a sentence that was just put together as a chain of its pieces, of five times its size, until it is searched. */
function inOnePiece(verdict: Verdict): Verdict {
  LINE_END.test(verdict.why);
  return verdict;
}
