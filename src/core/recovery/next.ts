import type { Rule } from "../agent.ts";
import { type Instant, MINUTE, type Millis, SECOND } from "../duration.ts";
import { type Incident, isOpen, isSilence, isWell, severityOf } from "../incident/incident.ts";
import { HOLD } from "../incident/policy.ts";
import type { Observation } from "../liveness/observation.ts";
import type { Verdict } from "../liveness/verdict.ts";
import { fairChance } from "../schedule/rule.ts";
import { applies, type Ladder, mayEnd, type Step } from "./ladder.ts";
import { type Aim, aimAt, hasActed, hasFailed, overAt, type Recovery } from "./recovery.ts";

/** Everything that the next step is a function of. */
export interface Situation {
  readonly incident: Incident;
  /** The verdict of now, and what it rests on. */
  readonly verdict: Verdict;
  readonly observations: readonly Observation[];
  /** What the verdict would be without what unproven beats claim; absent if none claims anything. */
  readonly proven?: Verdict;
  readonly rule?: Rule;
  readonly ladder: Ladder;
  /** The steps that were taken on this agent since it was last healthy for long. */
  readonly earlier: readonly Recovery[];
  /** When it may be started again, where many are: one after the other. */
  readonly turn?: Instant;
  readonly now: Instant;
}

/** Why Rollcall takes no step at the moment. */
export const REFUSALS = {
  "no-ladder": "the config has no recovery steps for it",
  "no-step": "no recovery step matches its state and reason",
  paused: "an operator paused it",
  recovered: "it has recovered",
  unclear: "Rollcall cannot tell how it is",
  waiting: "it waits for a human, so Rollcall leaves it alone",
  limited: "it is at a limit, so Rollcall leaves it alone until the limit ends",
  "beats-without-process": "beats continue although its process is gone; a restart might start a second copy",
  unproven: "only beats without a token report this trouble, and Rollcall ends no process because of those",
  "common-cause": "many agents may have fallen silent at once; a restart does not fix a common cause",
  "no-input": "its screen does not accept input",
  tried: "every matching step has been tried",
  "budget-spent": "the budget is used up, so Rollcall has stopped trying",
  "keeps-failing": "the last attempts failed, so Rollcall has stopped trying",
  "others-first": "Rollcall starts agents again one after the other",
  "evidence-missing": "Rollcall is still collecting evidence",
  "backing-off": "Rollcall is still waiting for the last step to help",
  unobserved: "it still has time to show a sign of life after the last restart",
  "new-incarnation": "a newer process of it has appeared",
  "moved-on": "its state or the matching step has changed",
} as const;

export type StepRefusal = keyof typeof REFUSALS;

export type Next =
  | { readonly take: Step; readonly index: number; readonly aim: Aim }
  | {
      readonly take: undefined;
      readonly why: StepRefusal;
      /** The step that waits, and until when; without it only news can change the answer. */
      readonly index?: number;
      readonly at?: Instant;
      /** The budget is spent, or every try failed, and no message about that has been sent yet. */
      readonly untold?: true;
      /** Why the last try failed. */
      readonly problem?: string;
    };

/** Whoever we cannot tell of is looked at again in a round: that is no news if it is as it was, so it is asked after. */
const LOOKED: Millis = 30 * SECOND;
/** How long evidence is waited for. */
const EVIDENCE: Millis = 10 * SECOND;
/** A limit's end is given in whole minutes at best. */
const AFTER_RESET: Millis = 5 * SECOND;
/** Whether many fell silent at once is decided when the first of them has been held so long, and a moment. */
const TOGETHER: Millis = HOLD + 5 * SECOND;
/** How long one that is known by its silence alone may take to show itself after a restart. */
const SETTLES: Millis = 5 * MINUTE;
/** A restart that cannot be made is not tried for ever. */
const DROPS = 3;
/** A step that fails so often in a row lacks something that another try does not mend. */
const FAILURES = 3;

/**
 * The step to take now, or why there is none. Steps are asked in their order: one that does not apply or has been
 * tried gives way to the next; one that has to wait holds up those after it.
 */
export function nextStep(situation: Situation): Next {
  const { incident, verdict, observations, ladder } = situation;
  if (ladder.length === 0) return not("no-ladder");
  if (verdict.state === "paused") return not("paused");
  if (!isOpen(incident) || isWell(verdict.state)) return not("recovered");
  if (severityOf(verdict.state) === undefined) return not("unclear", { at: situation.now + LOOKED });
  const aim = aimAt(verdict, observations);
  let last: No = not("no-step");
  for (const [index, step] of ladder.entries()) {
    if (!applies(step.when, verdict.state, verdict.reason)) continue;
    const refused =
      untouchable(step, aim, situation.now) ??
      claimed(step, situation) ??
      held(step, situation) ??
      spent(step, index, aim, situation);
    if (refused?.at !== undefined) return { ...refused, index };
    if (refused !== undefined && refused.untold === undefined) {
      if (last.why !== "unproven") last = refused;
      continue;
    }
    // That the last one was in vain is said when it has had its time, too.
    return waits(step, situation, index) ?? (refused ? { ...refused, index } : { take: step, index, aim });
  }
  // Other evidence may come without a change of its state: it is asked after.
  return last.why === "unproven" ? { ...last, at: situation.now + LOOKED } : last;
}

type No = Extract<Next, { take: undefined }>;

function not(why: StepRefusal, more: Partial<No> = {}): No {
  return { take: undefined, why, ...more };
}

/** Agents that must not be touched, whatever the config says. Escalations are always allowed. */
function untouchable(step: Step, aim: Aim, now: Instant): No | undefined {
  if (step.do === "escalate") return undefined;
  const { state, reason, reading, resetAt } = aim;
  if (state === "waiting" || reading === "waiting" || reading === "login") return not("waiting");
  if (state === "limited" || reading === "limited") {
    if (step.do !== "nudge" || reading !== "limited" || resetAt === undefined) return not("limited");
    const at = resetAt + AFTER_RESET;
    return now < at ? not("limited", { at }) : undefined;
  }
  if (step.do === "restart" && reason === "beats-without-process") return not("beats-without-process");
  if (step.do === "nudge" && (state === "dead" || reading !== "idle")) return not("no-input");
  return undefined;
}

/**
 * Any program on this machine can send a beat without a token: what it claims alone ends no process. Where something else
 * tells of the same trouble, or the step ends nothing, it makes no difference.
 */
function claimed(step: Step, { proven }: Situation): No | undefined {
  if (proven === undefined || !mayEnd(step) || step.when.states.includes(proven.state)) return undefined;
  return not("unproven", { problem: `without those it is ${proven.state} (${proven.why})` });
}

/** One of many agents that fell silent at once: their processes may still run where Rollcall cannot see them. */
function held(step: Step, { incident, verdict, now }: Situation): No | undefined {
  const copies = step.do === "restart" || step.do === "release";
  if (!copies || !isSilence(verdict.reason)) return undefined;
  if (incident.spokenForBy !== undefined) return not("common-cause");
  const at = incident.noticedAt + TOGETHER;
  return now < at && at - now <= TOGETHER ? not("common-cause", { at }) : undefined;
}

/** Whether a step has had its turn in this episode, or all its turns. */
function spent(step: Step, index: number, aim: Aim, { incident, earlier, now }: Situation): No | undefined {
  const began = incident.episodes.at(-1) ?? incident.noticedAt;
  const mine = earlier.filter((each) => each.step === index && each.do === step.do);
  const here = mine.filter((each) => each.incident === incident.id && overAt(each) >= began);
  const saidSpent = earlier.some((each) => each.do === step.do && isSpentMark(each));
  if (saidSpent) return not(SPENT);
  const failed = failedInARow(here);
  if (failed !== undefined) {
    const isTold = here.some((each) => isSaid(each, FAILING));
    return not(FAILING, { problem: failed.why, ...(isTold ? {} : { untold: true as const }) });
  }
  if (step.do === "restart") {
    if (here.filter((each) => each.state === "dropped" && !isMark(each)).length >= DROPS) return not("tried");
  } else {
    const settled = here.filter(
      (each) => each.state === "done" || (each.state === "dropped" && !isMark(each)),
    );
    // A limit that comes again gets its own nudge.
    const same =
      aim.state === "limited" ? settled.filter(({ aim: { resetAt } }) => resetAt === aim.resetAt) : settled;
    if (same.length > 0) return not("tried");
  }
  const acted = earlier.filter((each) => each.do === step.do && hasActed(each));
  const lately = acted.filter((each) => now - overAt(each) < step.budget.within);
  // Where nothing helped since it fell, the budget is spent however slowly the steps were taken.
  const inVain = acted.filter((each) => each.incident === incident.id && overAt(each) >= incident.noticedAt);
  if (Math.max(lately.length, inVain.length) < step.budget.times) return undefined;
  return not(SPENT, { untold: true });
}

/** The last of so many tries that failed since the step was last taken. */
function failedInARow(here: readonly Recovery[]): Recovery | undefined {
  const takenAt = Math.max(Number.NEGATIVE_INFINITY, ...here.filter(hasActed).map(overAt));
  const failed = here.filter((each) => hasFailed(each) && overAt(each) > takenAt);
  return failed.length < FAILURES ? undefined : failed.toSorted((a, b) => overAt(a) - overAt(b)).at(-1);
}

/** That the newest steps failed, so that nobody waits for their effect. */
function lastFailures(steps: readonly Recovery[]): Pick<No, "problem"> {
  const newest = steps.toSorted((a, b) => overAt(b) - overAt(a));
  const good = newest.findIndex((each) => !hasFailed(each));
  const failed = good < 0 ? newest : newest.slice(0, good);
  const [last] = failed;
  if (last === undefined) return {};
  const attempts = failed.length === 1 ? "the last attempt" : `the last ${failed.length} attempts`;
  return { problem: `${attempts} failed (${last.why})` };
}

const SPENT = "budget-spent";
const FAILING = "keeps-failing";

function isSaid({ state, why }: Recovery, what: typeof SPENT | typeof FAILING): boolean {
  return state === "dropped" && why.startsWith(what);
}

/** The record that says that a budget is spent: it holds until the agent has been healthy for long. */
export function isSpentMark(recovery: Recovery): boolean {
  return isSaid(recovery, SPENT);
}

/** The same, or that every try failed: this holds for the episode. */
export function isMark(recovery: Recovery): boolean {
  return isSpentMark(recovery) || isSaid(recovery, FAILING);
}

/** A turn that lies further off was given before the clock was set back. */
const LONGEST_TURN: Millis = 60 * MINUTE;

function isResume(step: Step): boolean {
  return step.do === "restart" && step.with.by === "resume";
}

function waits(step: Step, situation: Situation, index: number): No | undefined {
  const { incident, verdict, rule, earlier, now } = situation;
  const wait = (why: StepRefusal, at: Instant, longest: Millis) =>
    // An end that lies further off than any wait means that the clock was set back.
    now < at && at - now <= longest ? not(why, { at, index }) : undefined;
  const isLooked = (incident.findings?.at ?? -Infinity) >= (incident.episodes.at(-1) ?? incident.noticedAt);
  if (step.do !== "escalate" && !isLooked) {
    const missing = wait("evidence-missing", incident.noticedAt + EVIDENCE, EVIDENCE);
    if (missing !== undefined) return missing;
  }
  if (situation.turn !== undefined && isResume(step)) {
    const others = wait("others-first", situation.turn, LONGEST_TURN);
    if (others !== undefined) return others;
  }
  const { first, longest } = step.backoff;
  const acted = earlier.filter((each) => hasActed(each) || hasFailed(each));
  const same = acted.filter((each) => each.do === step.do);
  const lastAt = Math.max(0, ...acted.map(overAt));
  const lastSame = same.toSorted((a, b) => overAt(a) - overAt(b)).at(-1);
  const doubled = Math.min(longest, first * 2 ** Math.min(30, Math.max(0, same.length - 1)));
  const at = Math.max(
    acted.length === 0 ? 0 : lastAt + first,
    lastSame === undefined ? 0 : overAt(lastSame) + doubled,
  );
  const backing = wait("backing-off", at, longest);
  if (backing !== undefined) return { ...backing, ...lastFailures(acted) };
  // Silence tells nothing new before the agent has had its time: another restart would be another copy.
  if (step.do !== "restart" || lastSame?.state !== "done" || !isSilence(verdict.reason)) return undefined;
  const settles = Math.max(SETTLES, rule === undefined ? 0 : fairChance(rule));
  return wait("unobserved", overAt(lastSame) + settles, settles);
}
