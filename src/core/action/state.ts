import type { Instant } from "../duration.ts";

/**
 * How a run ended. `abandoned`: it did not stop when its time was over, and nobody waits for it any more;
 * `crashed`: the process that ran it ended without a word; `skipped`: it did not begin, for the reason given.
 */
export type RunOutcome = "done" | "failed" | "timed-out" | "abandoned" | "crashed" | "skipped";

/** Why a due instant was not run. An action may give reasons of its own, such as `no-source`. */
export type SkipReason =
  | "overlap"
  | "outside-active-hours"
  | "rate"
  | "disabled"
  | "missed-skipped"
  | "clock-set-back"
  | (string & {});

/** One execution of an action, or a row of due instants without one. */
export interface Run {
  readonly action: string;
  /** A run that is recorded again under its id replaces what was recorded before. */
  readonly id: string;
  /** The due instant; of several that were skipped the last. */
  readonly dueAt: Instant;
  readonly outcome: RunOutcome;
  readonly startedAt?: Instant;
  /** When it ended; when the last of several was skipped. */
  readonly endedAt?: Instant;
  readonly reason?: SkipReason;
  /** Of several that were skipped for one reason in a row: the first, and how many. */
  readonly from?: Instant;
  readonly count?: number;
  /** There were more than `count`: beyond a bound they are not counted. */
  readonly more?: true;
  readonly message?: string;
  readonly metadata?: Json;
  readonly problem?: string;
}

/** What an action said and when. */
export interface Said {
  readonly at: Instant;
  readonly text: string;
}

/** The durable thread of an action: what it said before, newest last, and what it wants to know next time. */
export interface SessionState {
  readonly said: readonly Said[];
  readonly memory: Readonly<Record<string, Json>>;
}

export interface RunningState {
  readonly runId: string;
  readonly dueAt: Instant;
  readonly startedAt: Instant;
  /** 2 for a run that is repeated because the first one did not come to its end; it is repeated only once. */
  readonly attempt: 1 | 2;
  /** Somebody asked for it: its instant is not of the schedule. */
  readonly manual?: true;
}

/** Everything that must outlive the process for an action to go on as if nothing had happened. */
export interface ActionState {
  readonly action: string;
  /** The schedule that `settledTo` is about, as text. */
  readonly schedule: string;
  /** Every due instant up to here has been run or has a reason. */
  readonly settledTo: Instant;
  /** How often the clock was set back; see `Timeline`. */
  readonly shift: number;
  /** An operator's word; without one the plan decides. */
  readonly enabled?: boolean;
  readonly lastRun?: {
    readonly id: string;
    readonly dueAt: Instant;
    readonly startedAt: Instant;
    readonly endedAt: Instant;
    readonly outcome: RunOutcome;
  };
  readonly running?: RunningState;
  /** A due instant whose run did not come to its end and is to be repeated. */
  readonly again?: Instant;
  /** Runs in a row that failed, and whether somebody has been told. */
  readonly failures: number;
  readonly told?: boolean;
  /** When the newest runs began, as far as the rate needs to know. */
  readonly recent: readonly Instant[];
  /** The entry of the history that further skips for the same reason go on with. */
  readonly skipped?: Run;
  readonly session: SessionState;
}

/** Something to be sent. It is queued once per key, whatever happens. */
export interface Outgoing {
  readonly key: string;
  readonly action: string;
  readonly text: string;
  readonly severity: "info" | "error";
  readonly at: Instant;
}

/** What belongs together: a run, what it changes and what it says. */
export interface ActionChange {
  readonly state: ActionState;
  readonly runs?: readonly Run[];
  readonly say?: readonly Outgoing[];
}

/** The state of an action that nobody has heard of before: what came due until now was not meant for it. */
export function newState(action: string, schedule: string, now: Instant): ActionState {
  return {
    action,
    schedule,
    settledTo: now,
    shift: 0,
    failures: 0,
    recent: [],
    session: { said: [], memory: {} },
  };
}

/** What JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A copy of a value as JSON carries it, 64-bit integers as text. Throws for what JSON cannot carry. */
export function asJson(value: unknown): Json {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
  if (text === undefined) throw new TypeError(`${typeof value} is not JSON`);
  return JSON.parse(text) as Json;
}
