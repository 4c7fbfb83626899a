import type { Incarnation } from "../beat.ts";
import { type Instant, MINUTE } from "../duration.ts";
import type { Case, Standing } from "./case.ts";
import { judge } from "./judge.ts";
import type {
  Activity,
  BeatHeard,
  CycleMark,
  Degraded,
  Gone,
  MachineSeen,
  Observation,
  Presence,
  RunsMark,
  ScreenRead,
  WorkMark,
} from "./observation.ts";
import type { Reason, State } from "./state.ts";
import { type BlindCause, type BlindSpan, FULL_TRUST } from "./trust.ts";

/** Made-up facts for the tests of the rules. Times are written as minutes after noon of an ordinary day. */
export const NOON: Instant = Date.UTC(2025, 0, 15, 12);

export function m(minutes: number): Instant {
  return NOON + minutes * MINUTE;
}

export function heard(minutes: number, more: Partial<BeatHeard> = {}): BeatHeard {
  const at = m(minutes);
  return { kind: "beat", signal: "beat", at, firstAt: at, source: "agent", status: "ok", ...more };
}

export function wrapped(minutes: number, more: Partial<BeatHeard> = {}): BeatHeard {
  return heard(minutes, { source: "wrapper", ...more });
}

export function begun(minutes: number, more: Partial<CycleMark> = {}): CycleMark {
  return { kind: "cycle", signal: "beat", event: "begun", at: m(minutes), ok: true, cycle: 7, ...more };
}

export function ended(minutes: number, more: Partial<CycleMark> = {}): CycleMark {
  return begun(minutes, { event: "ended", ...more });
}

/** Told at the first; the oldest run under way began at the second. */
export function runs(minutes: number, since?: number): RunsMark {
  const at = m(minutes);
  return { kind: "runs", signal: "beat", at, ...(since === undefined ? {} : { openSince: m(since) }) };
}

export function present(minutes: number, more: Partial<Presence> = {}): Presence {
  return { kind: "present", signal: "process", at: m(minutes), ...more };
}

/** Last seen at the first, found to be gone at the second. */
export function gone(lastSeen: number, seen: number, more: Partial<Gone> = {}): Gone {
  return { kind: "gone", signal: "process", at: m(lastSeen), seenAt: m(seen), clean: false, ...more };
}

export function active(minutes: number, seen: number, more: Partial<Activity> = {}): Activity {
  return { kind: "activity", signal: "log", at: m(minutes), seenAt: m(seen), context: "unknown", ...more };
}

/** A screen that says this since the first, read at the second, with the last new content at `progress`. */
export function reads(
  reading: ScreenRead["reading"],
  since: number,
  seen: number,
  progress: number = since,
  more: Partial<ScreenRead> = {},
): ScreenRead {
  const [at, seenAt, progressAt] = [m(since), m(seen), m(progress)];
  return { kind: "reading", signal: "tmux", at, seenAt, reading, context: "model", progressAt, ...more };
}

/** What is in the foreground of its terminal since the first, looked at at the second. */
export function fronted(front: MachineSeen["front"], since: number, seen: number): MachineSeen {
  const program = front === "program" ? "node" : "bash";
  return { kind: "machine", signal: "tmux", at: m(since), seenAt: m(seen), front, program };
}

export function work(minutes: number, open: boolean): WorkMark {
  return { kind: "work", signal: "transcript", at: m(minutes), open };
}

export function broken(minutes: number, signal: Degraded["signal"], problem = "no such pane"): Degraded {
  return { kind: "degraded", signal, at: m(minutes), problem };
}

export function life(pid: number): Incarnation {
  return { pid, startTime: String(pid * 100), bootId: "boot" };
}

export function blind(from: number, to: number, cause: BlindCause = "outage"): BlindSpan {
  return { from: m(from), to: m(to), cause };
}

/** A case under the default rule, registered at noon. */
export function madeUp(minutes: number, more: Partial<Case> = {}): Case {
  return {
    observations: [],
    rule: { every: 15 * MINUTE, grace: 5 * MINUTE },
    addedAt: NOON,
    now: m(minutes),
    trust: FULL_TRUST,
    ...more,
  };
}

/** A line of a table: what is known at a minute, and what is to be found. */
export interface Line {
  readonly name: string;
  readonly now: number;
  readonly facts: readonly Observation[];
  readonly more?: Partial<Case>;
  /** Set for an agent that promises no beats: only what can be seen of it counts. */
  readonly unpromised?: true;
  readonly is: readonly [State, Reason];
  /** Since which minute, where that matters. */
  readonly at?: number;
}

/** What a line finds and what it should, in a form that can be compared. */
export function tried({ now, facts, more, unpromised, is, at }: Line): { found: string; expected: string } {
  const { rule, ...free } = madeUp(now, { observations: facts, ...more });
  const verdict = judge(unpromised === true || rule === undefined ? free : { ...free, rule });
  const since = at === undefined ? "" : ` since ${(verdict.at - NOON) / MINUTE}`;
  return {
    found: `${verdict.state}: ${verdict.reason}${since}`,
    expected: `${is[0]}: ${is[1]}${at === undefined ? "" : ` since ${at}`}`,
  };
}

/** Spans that were not watched, as part of a case. */
export function unwatched(...spans: readonly BlindSpan[]): Partial<Case> {
  return { trust: { blind: spans } };
}

/** What stands after judging a case: what the next verdict has as its previous one. */
export function standing(input: Case): Standing {
  const verdict = judge(input);
  return { verdict, since: verdict.at };
}
