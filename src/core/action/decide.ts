import type { Instant, Millis } from "../duration.ts";
import { isActive } from "../schedule/active-hours.ts";
import {
  countInstants,
  instantAfter,
  instantBefore,
  lastInstant,
  type Timeline,
} from "../schedule/schedule.ts";
import { type ActionPlan, LATE, MOST_CAUGHT_UP, MOST_COUNTED, RATE_SPAN } from "./plan.ts";
import type { ActionState, SkipReason } from "./state.ts";

/** Due instants in a row that are not run, and why. */
export interface Skip {
  readonly reason: SkipReason;
  readonly from: Instant;
  readonly to: Instant;
  readonly count: number;
  readonly more?: true;
}

/** What to do about an action now. */
export interface Decision {
  readonly skips: readonly Skip[];
  /** A due instant to run, now. */
  readonly run?: { readonly dueAt: Instant; readonly attempt: 1 | 2 };
  /** What the state becomes, whether something runs or not. */
  readonly settledTo: Instant;
  readonly shift: number;
  /** The repetition that was waiting is decided. */
  readonly againDone?: true;
  /** When to look again, unless something happens before. */
  readonly next: Instant;
}

/** Shifts begin anew after so many, far beyond what anybody's clock does. */
const SHIFTS = 1000;

/**
 * Decides from the plan, the state and the time alone. Every due instant after `state.settledTo` and up to now is
 * run, or skipped with a reason, or it is not yet its moment. `busy`: a run is under way.
 */
export function decide(plan: ActionPlan, state: ActionState, now: Instant, busy: boolean): Decision {
  const timeline: Timeline = { schedule: plan.schedule, shift: state.shift };
  const first = instantAfter(timeline, state.settledTo);
  const { settledTo, shift } = state;
  // A clock that was set back a little makes us wait until it is again where it was: no instant is run twice. One
  // that was set back over more than one instant would make us wait for hours or years.
  if (settledTo > now && instantAfter(timeline, now) < settledTo) return startAnew(plan, state, now);

  const wait = (next: Instant): Decision => ({ skips: [], settledTo, shift, next });
  if (state.again !== undefined && !busy && (first > now || plan.missed === "all"))
    return repeat(plan, state, state.again, now, plannedFor(plan, state, first));
  if (first > now) return wait(plannedFor(plan, state, first));

  const enabled = state.enabled ?? plan.enabled;
  // Whoever wants them all lets them wait for the end of the run, which is looked at again.
  if (enabled && busy && plan.missed === "all") return wait(Number.POSITIVE_INFINITY);
  const newest = lastInstant(timeline, first, now);
  const planned = plannedFor(plan, state, newest);
  const inTime = planned <= now;
  if (enabled && plan.missed === "all" && (first < newest || inTime)) {
    const last = inTime ? newest : lastInstant(timeline, first, newest - 1);
    return catchUp(plan, state, first, last, now);
  }
  // The newest one has its moment still to come, and decides about those before it too.
  if (!inTime) return wait(planned);

  const settle = (...skips: Skip[]) => settled(plan, state, newest, skips);
  const all = (reason: SkipReason) => settle(skip(timeline, reason, first, newest));
  if (!enabled) return all("disabled");
  if (busy) return all("overlap");
  if (plan.missed === "skip" && now - planned > LATE) return all("missed-skipped");
  const missed =
    first < newest ? [skip(timeline, "missed-skipped", first, lastInstant(timeline, first, newest - 1))] : [];
  const refused = refusal(plan, state, now);
  if (refused !== undefined) return settle(...missed, skip(timeline, refused, newest, newest));
  return { ...settle(...missed), run: { dueAt: newest, attempt: 1 } };
}

/** Nothing up to this instant is open any more. */
function settled(plan: ActionPlan, state: ActionState, settledTo: Instant, skips: readonly Skip[]): Decision {
  const { shift } = state;
  const next = plannedFor(plan, state, instantAfter({ schedule: plan.schedule, shift }, settledTo));
  return { skips, settledTo, shift, next };
}

/** The moment at which a due instant is to be run: before the next one is due, so that their order stays. */
export function plannedFor(plan: ActionPlan, state: ActionState, dueAt: Instant): Instant {
  if (plan.jitter <= 0 || dueAt === Number.POSITIVE_INFINITY) return dueAt;
  const gap = instantAfter({ schedule: plan.schedule, shift: state.shift }, dueAt) - dueAt;
  return dueAt + jitter(state.action, dueAt, Math.min(plan.jitter, gap));
}

function startAnew(plan: ActionPlan, state: ActionState, now: Instant): Decision {
  const shift = (state.shift + 1) % SHIFTS;
  const first = instantAfter({ schedule: plan.schedule, shift }, now);
  return {
    skips: [{ reason: "clock-set-back", from: now, to: now, count: 0 }],
    settledTo: now,
    shift,
    next: plannedFor(plan, { ...state, shift }, first),
  };
}

/** A run that did not come to its end is repeated, where the action may run now. */
function repeat(plan: ActionPlan, state: ActionState, dueAt: Instant, now: Instant, next: Instant): Decision {
  const { settledTo, shift } = state;
  const refused = (state.enabled ?? plan.enabled) ? refusal(plan, state, now) : "disabled";
  const done = { settledTo, shift, againDone: true as const, next };
  if (refused === undefined) return { ...done, skips: [], run: { dueAt, attempt: 2 } };
  return { ...done, skips: [{ reason: refused, from: dueAt, to: dueAt, count: 1 }] };
}

/** Runs the first of all that wait, and leaves out what is too much. */
function catchUp(
  plan: ActionPlan,
  state: ActionState,
  first: Instant,
  last: Instant,
  now: Instant,
): Decision {
  const timeline: Timeline = { schedule: plan.schedule, shift: state.shift };
  const refused = refusal(plan, state, now);
  if (refused !== undefined) return settled(plan, state, last, [skip(timeline, refused, first, last)]);
  const isFew = countInstants(timeline, first, last, MOST_CAUGHT_UP) <= MOST_CAUGHT_UP;
  const dueAt = isFew ? first : instantBefore(timeline, first, last, MOST_CAUGHT_UP - 1);
  const left = isFew
    ? []
    : [skip(timeline, "missed-skipped", first, lastInstant(timeline, first, dueAt - 1))];
  return { ...settled(plan, state, dueAt, left), run: { dueAt, attempt: 1 } };
}

/** Why an action that is due and free may not run at this moment. */
function refusal(plan: ActionPlan, state: ActionState, now: Instant): SkipReason | undefined {
  if (plan.activeHours !== undefined && !isActive(plan.activeHours, now)) return "outside-active-hours";
  if (plan.maxPerHour === undefined) return undefined;
  const recent = state.recent.filter((began) => began > now - RATE_SPAN);
  return recent.length >= plan.maxPerHour ? "rate" : undefined;
}

function skip(timeline: Timeline, reason: SkipReason, from: Instant, to: Instant): Skip {
  const count = countInstants(timeline, from, to, MOST_COUNTED);
  const exact = "every" in timeline.schedule || count <= MOST_COUNTED;
  return exact ? { reason, from, to, count } : { reason, from, to, count: MOST_COUNTED, more: true };
}

/**
 * How much later than its due instant an action runs: from 0 to before `most`, spread evenly over names and
 * instants. It is a function of both alone, so that a restart comes to the same moment.
 */
export function jitter(action: string, dueAt: Instant, most: Millis): Millis {
  if (most <= 0) return 0;
  // FNV-1a, and a last mix because its low bits hardly feel the last characters.
  let hash = 0x811c9dc5;
  for (const character of `${action}\n${dueAt}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * most);
}
