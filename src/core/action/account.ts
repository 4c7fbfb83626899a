import type { Instant } from "../duration.ts";
import type { Decision, Skip } from "./decide.ts";
import { type ActionPlan, RATE_SPAN } from "./plan.ts";
import type { ActionChange, ActionState, Run, RunningState } from "./state.ts";

/** What a decision changes: every due instant that it took up stands in the history, or under way. */
export function account(
  plan: ActionPlan,
  state: ActionState,
  decision: Decision,
  now: Instant,
): ActionChange {
  const { again, skipped, ...rest } = state;
  const runs: Run[] = [];
  let open = skipped;
  // A repetition that is refused stands by itself: its instant is older than what was settled last.
  if (decision.againDone)
    runs.push(...decision.skips.map((skip) => skippedEntry(state.action, undefined, skip, now)));
  for (const skip of decision.againDone ? [] : decision.skips) {
    // An entry does not reach over a run: what was skipped before the one under way is another entry.
    const before = state.running !== undefined && open !== undefined && open.dueAt < state.running.dueAt;
    const goesOn = open?.reason === skip.reason && !before && skip.reason !== "clock-set-back";
    open = skippedEntry(state.action, goesOn ? open : undefined, skip, now);
    runs.push(open);
  }
  // The clock was set back: what seems to have begun after now began long ago.
  const recent = decision.shift === state.shift ? state.recent : state.recent.filter((began) => began <= now);
  const settled: ActionState = {
    ...rest,
    recent,
    settledTo: decision.settledTo,
    shift: decision.shift,
    ...(open === undefined ? {} : { skipped: open }),
    ...(again === undefined || decision.againDone ? {} : { again }),
  };
  if (decision.run === undefined) return { state: settled, runs };
  const { dueAt, attempt } = decision.run;
  const runId = `${state.action}@${dueAt}${attempt === 1 ? "" : `#${attempt}`}`;
  return { state: begin(plan, settled, { runId, dueAt, startedAt: now, attempt }), runs };
}

/** The state of an action whose run begins. A newer run does the work of one that was to be repeated. */
export function begin(plan: ActionPlan, state: ActionState, running: RunningState): ActionState {
  const { again: _, ...rest } = state;
  const since = running.startedAt - RATE_SPAN;
  const recent =
    plan.maxPerHour === undefined
      ? []
      : [...state.recent.filter((began) => began > since), running.startedAt].slice(-plan.maxPerHour);
  return { ...rest, running, recent };
}

/** Skips in a row for the same reason are one entry, which grows. */
export function skippedEntry(action: string, open: Run | undefined, skip: Skip, now: Instant): Run {
  const from = open?.from ?? skip.from;
  const more = skip.more ?? open?.more;
  return {
    action,
    id: open?.id ?? `${action}@${from}/${skip.reason}`,
    dueAt: skip.to,
    endedAt: now,
    outcome: "skipped",
    reason: skip.reason,
    from,
    count: (open?.count ?? 0) + skip.count,
    ...(more ? { more } : {}),
  };
}
