import type { Instant } from "../duration.ts";
import { fairChance } from "../schedule/rule.ts";
import { runIsDue } from "./beat-rows.ts";
import type { Case, Hearing, RowFinding, Standing } from "./case.ts";
import { sortFacts } from "./facts.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { rows } from "./rows.ts";
import type { State } from "./state.ts";
import { outsideBlindness, type Trust } from "./trust.ts";
import { type Flip, NO_BASIS, type Verdict } from "./verdict.ts";

/** Judges an agent: the first row of the table "which evidence wins" that applies decides. */
export function judge(input: Case): Verdict {
  const beatsFor = input.rule === undefined ? undefined : fairChance(input.rule);
  const facts = sortFacts(input.observations, input.now, beatsFor);
  const finding = decide({
    previous: input.previous,
    facts,
    rule: input.rule,
    limits: input.limits ?? DEFAULT_LIMITS,
    addedAt: input.addedAt,
    pausedAt: input.pausedAt,
    hostKind: input.hostKind,
    now: input.now,
    trust: input.trust,
    lasting: input.lasting === true,
  });
  const held = heldBack(finding, facts.basis, input);
  return {
    state: held.state,
    reason: held.reason,
    why: held.why,
    at: Math.min(held.at, input.now),
    basis: facts.basis,
    next: Math.min(held.next, facts.ripensAt),
  };
}

function decide(hearing: Hearing): RowFinding {
  for (const row of rows) {
    const finding = row(hearing);
    if (finding === undefined) continue;
    const due = runIsDue(hearing);
    return due < finding.next ? { ...finding, next: due } : finding;
  }
  const problem = hearing.facts.degraded[0]?.problem;
  return {
    state: "unknown",
    reason: "not-watched",
    why: problem === undefined ? "no usable fact is known about it" : `cannot be checked: ${problem}`,
    at: hearing.now,
    next: Number.POSITIVE_INFINITY,
  };
}

const SOUND: ReadonlySet<State> = new Set(["alive", "resting", "new"]);

/**
 * With no new fact, time alone never turns trouble into health, on no detour: a clock that is set back must not
 * wake anybody. What was dead stays dead also where we can no longer tell. Only an operator's pause ends it.
 */
function heldBack(finding: RowFinding, basis: number, { previous }: Case): RowFinding {
  if (previous === undefined || previous.verdict.basis !== basis) return finding;
  const before = previous.verdict;
  if (before.state === "paused" || finding.state === "paused" || before.state === finding.state) {
    return finding;
  }
  const { state, reason, why, at } = before;
  if (state === "dead") return { state, reason, why, at, next: Number.POSITIVE_INFINITY };
  const wakes = SOUND.has(finding.state) && !SOUND.has(state);
  return wakes ? { state, reason, why, at, next: finding.next } : finding;
}

/**
 * The change of state from one verdict to the next, or undefined if there is none. It is dated when it became
 * true, but never after it was noticed, nor before the state that it ends, nor inside a span that we did not watch. Where
 * another rule than before decides, it became true with that rule: now.
 */
export function flip(
  agent: string,
  previous: Standing,
  verdict: Verdict,
  now: Instant,
  trust: Trust,
): Flip | undefined {
  if (previous.verdict.state === verdict.state) return undefined;
  const trueAt = previous.verdict.basis === NO_BASIS ? now : verdict.at;
  const watched = outsideBlindness(trust, Math.max(trueAt, Math.min(previous.since, now)));
  return {
    agent,
    from: previous.verdict.state,
    to: verdict.state,
    reason: verdict.reason,
    why: verdict.why,
    at: Math.min(watched, now),
    noticedAt: now,
  };
}
