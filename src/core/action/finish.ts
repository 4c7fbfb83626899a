import type { Instant } from "../duration.ts";
import { skippedEntry } from "./account.ts";
import type { Missed } from "./plan.ts";
import type { ActionChange, ActionState, Json, Outgoing, Run, RunningState, Said } from "./state.ts";

/** How an execution ended, as far as the rules need to know. */
export type Ending =
  | {
      readonly kind: "done";
      /** What it wants to be told to people; nothing, for a quiet one. */
      readonly message?: string;
      /** What it sent through its gateway, in its order. */
      readonly sent: readonly string[];
      readonly metadata?: Json;
      readonly memory: Readonly<Record<string, Json>>;
      /** It found nothing to work on, for this reason: neither a success nor a failure. */
      readonly skipped?: string;
    }
  | { readonly kind: "failed" | "timed-out" | "abandoned"; readonly problem: string }
  /** We are going down, and it stopped because we asked it to. */
  | { readonly kind: "stopped" };

/** How much an action remembers of what it said, and how much of one message or problem is kept. */
const MOST_SAID = 50;
const LONGEST_TEXT = 16_384;

/** What the end of a run changes: the state, its entry in the history, and what it says are one. */
export function finish(
  state: ActionState,
  ending: Ending,
  rule: { readonly missed: Missed; readonly tellAfter: number },
  now: Instant,
): ActionChange {
  const { running, told, skipped, ...rest } = state;
  if (running === undefined) throw new Error(`no run of ${state.action} is under way`);
  const row = entry(state, running, ending, now);
  const { id, dueAt, outcome } = row;
  const lastRun = { id, dueAt, startedAt: running.startedAt, endedAt: now, outcome };
  // What was skipped before this run is a closed entry, unless this run goes on with it.
  const open = row.outcome === "skipped" ? row : skipped && skipped.dueAt > dueAt ? skipped : undefined;
  const ended = { ...rest, lastRun, ...(open === undefined ? {} : { skipped: open }) };
  const still = told ? { told } : {};
  const key = `action:${state.action}:${dueAt}`;
  const outgoing = (suffix: string, text: string, severity: Outgoing["severity"]): Outgoing => ({
    key: `${key}${suffix}`,
    action: state.action,
    text: text.slice(0, LONGEST_TEXT),
    severity,
    at: now,
  });

  if (ending.kind === "stopped") {
    const again = repeats(running, rule.missed) ? { again: dueAt } : {};
    return { state: { ...ended, ...still, ...again }, runs: [row] };
  }
  if (ending.kind !== "done") {
    const failures = state.failures + 1;
    const tell = told !== true && failures >= rule.tellAfter;
    const times = failures === 1 ? "" : ` ${failures} times in a row`;
    const text = `Action ${state.action} failed${times}: ${ending.problem}`;
    return {
      state: { ...ended, failures, ...(told || tell ? { told: true } : {}) },
      runs: [row],
      ...(tell ? { say: [outgoing(":failing", text, "error")] } : {}),
    };
  }

  const say = ending.sent.map((text, index) => outgoing(`:${index + 1}`, text, "info"));
  if (ending.message !== undefined) say.push(outgoing("", ending.message, "info"));
  const said: readonly Said[] = [...state.session.said, ...say.map(({ text, at }) => ({ at, text }))].slice(
    -MOST_SAID,
  );
  const session = { said, memory: ending.memory };
  if (ending.skipped !== undefined) return { state: { ...ended, ...still, session }, runs: [row], say };
  if (told) say.push(outgoing(":works-again", `Action ${state.action} works again`, "info"));
  return { state: { ...ended, failures: 0, session }, runs: [row], say };
}

/** What is found at a start: a run that was under way when the process ended without a word. */
export function recover(state: ActionState, missed: Missed, now: Instant): ActionChange {
  const { running, ...rest } = state;
  if (running === undefined) return { state };
  const { runId: id, dueAt, startedAt } = running;
  const problem = "the process ended during the run";
  const row: Run = { action: state.action, id, dueAt, startedAt, endedAt: now, outcome: "crashed", problem };
  const lastRun = { id, dueAt, startedAt, endedAt: now, outcome: row.outcome };
  const again = repeats(running, missed) ? { again: dueAt } : {};
  return { state: { ...rest, lastRun, ...again }, runs: [row] };
}

/** Once: a run that ends the process whenever it is tried must not do so for ever. */
function repeats({ attempt, manual }: RunningState, missed: Missed): boolean {
  return attempt === 1 && manual !== true && missed !== "skip";
}

function entry(state: ActionState, running: RunningState, ending: Ending, now: Instant): Run {
  const { action, skipped } = state;
  const { runId: id, dueAt, startedAt } = running;
  const row = { action, id, dueAt, startedAt, endedAt: now };
  if (ending.kind === "stopped") return { ...row, outcome: "failed", reason: "stopped" };
  if (ending.kind !== "done")
    return { ...row, outcome: ending.kind, problem: ending.problem.slice(0, LONGEST_TEXT) };
  const more = {
    ...(ending.message === undefined ? {} : { message: ending.message.slice(0, LONGEST_TEXT) }),
    ...(ending.metadata === undefined ? {} : { metadata: ending.metadata }),
  };
  if (ending.skipped === undefined) return { ...row, outcome: "done", ...more };
  const open = skipped?.reason === ending.skipped ? skipped : undefined;
  const skip = { reason: ending.skipped, from: dueAt, to: dueAt, count: 1 };
  return { ...skippedEntry(action, open, skip, now), startedAt, ...more };
}
