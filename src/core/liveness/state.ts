interface StateTraits {
  /** The line that the docs, the page and completions show. */
  readonly means: string;
  /** How bad it is; only these states open an incident. */
  readonly severity?: "critical" | "warning";
  /** `rollcall check` ends with this, so that a script can tell well (0) from unwell (1, 2) and unclear (3). */
  readonly exitCode: 0 | 1 | 2 | 3;
  /**
   * What it means for `gateway_running` of a tick. An agent that is `gone` gets an `offline` tick. Of one that is `unclear`
   * only a probe can tell whether it runs; without one it is out of reach.
   */
  readonly tick: "runs" | "fails" | "unclear" | "gone";
  /** How time in it counts for an agent's uptime; `none` where Rollcall does not judge. */
  readonly uptime: "up" | "down" | "none";
  /** In a terminal. */
  readonly colour: "cyan" | "green" | "yellow" | "blue" | "magenta" | "red" | "bold red" | "dim";
  /** On the page, as a path on a field of 16: one for each state, so that colour is never the only difference. */
  readonly shape: string;
}

/** Everything that differs from state to state, trouble first: the order of the roll. */
export const STATE_TRAITS = {
  dead: {
    means: "silent beyond its grace, or ended unexpectedly",
    severity: "critical",
    exitCode: 2,
    tick: "gone",
    uptime: "down",
    colour: "bold red",
    shape: "M4 4l8 8M12 4l-8 8",
  },
  stalled: {
    means: "running, but making no progress",
    severity: "critical",
    exitCode: 2,
    tick: "fails",
    uptime: "down",
    colour: "red",
    shape: "M4 4h8v8h-8z",
  },
  failing: {
    means: "reports an error itself, claims unproven work as done, or is over its budget",
    severity: "warning",
    exitCode: 2,
    tick: "fails",
    uptime: "down",
    colour: "red",
    shape: "M8 3l5.5 10h-11z",
  },
  waiting: {
    means: "needs a human: for a permission, an answer or a login",
    severity: "warning",
    exitCode: 1,
    tick: "runs",
    uptime: "up",
    colour: "magenta",
    shape: "M8 2.5l5.5 5.5-5.5 5.5-5.5-5.5z",
  },
  limited: {
    means: "at a usage or rate limit",
    severity: "warning",
    exitCode: 1,
    tick: "runs",
    uptime: "up",
    colour: "magenta",
    shape: "M2.5 8h11M2.5 4.5h11M2.5 11.5h11",
  },
  unknown: {
    means: "Rollcall cannot tell: it was not watching, or the timestamp cannot be right",
    exitCode: 3,
    tick: "unclear",
    uptime: "none",
    colour: "yellow",
    shape: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11",
  },
  late: {
    means: "overdue, but still within its grace",
    exitCode: 1,
    tick: "runs",
    uptime: "up",
    colour: "yellow",
    shape: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M8 5v3l2 1.5",
  },
  new: {
    means: "registered, but no sign of life yet",
    exitCode: 3,
    tick: "unclear",
    uptime: "none",
    colour: "cyan",
    shape: "M8 3.5v9M3.5 8h9",
  },
  alive: {
    means: "it sends beats, or Rollcall sees it working",
    exitCode: 0,
    tick: "runs",
    uptime: "up",
    colour: "green",
    shape: "M8 3a5 5 0 1 1 0 10a5 5 0 1 1 0-10",
  },
  resting: {
    means: "finished its cycle or turn; the next one is not due yet",
    exitCode: 0,
    tick: "runs",
    uptime: "up",
    colour: "blue",
    shape: "M11.8 10.6a5 5 0 1 1-5.6-7.2a4.2 4.2 0 0 0 5.6 7.2z",
  },
  paused: {
    means: "paused by an operator; not judged until resumed",
    exitCode: 0,
    tick: "unclear",
    uptime: "none",
    colour: "dim",
    shape: "M5.5 3.5v9M10.5 3.5v9",
  },
} as const satisfies Readonly<Record<string, StateTraits>>;

export type State = keyof typeof STATE_TRAITS;

export function traitsOf(state: State): StateTraits {
  return STATE_TRAITS[state];
}

/** Every state an agent can be in, with what it means. */
export const STATES = Object.fromEntries(
  Object.entries(STATE_TRAITS).map(([state, { means }]) => [state, means]),
) as Readonly<Record<State, string>>;

/** Every reason a verdict can give. A reason belongs to one row of the table "which evidence wins". */
export const REASONS = {
  paused: "an operator paused it",
  "not-watched": "Rollcall was not watching, or could not check it",
  "host-out-of-contact": "its host has not reported to the hub; an agent that was dead before stays dead",
  "future-stamp": "its last timestamp is in the future",
  ended: "its cycle, work or process ended cleanly",
  "did-not-wake": "it ended cleanly, but did not start again in time",
  exited: "its process ended unexpectedly",
  "no-answer": "its address does not answer, or answers with a wrong status",
  orphan: "work is recorded as in progress, but its session or process is gone or never existed",
  "beats-without-process": "beats continue although the process is gone",
  permission: "it asks for permission",
  question: "it asks a question",
  login: "it asks for a login",
  limit: "it is at a usage or rate limit",
  "says-error": "its last own beat, or its last cycle, reports an error",
  "done-not-proven": "it reported work as done, but the check of that work failed",
  "over-budget": "it used more tokens or money today than its budget allows",
  working: "it showed something new within its limit, or it runs a tool or retries within that limit",
  "works-without-beats": "it works, but its expected beats do not arrive",
  spinning: "its screen moves, but shows no progress for longer than the limit",
  looping: "its screen repeats itself for longer than the limit, or its tool calls repeat earlier ones",
  retrying: "it retries for longer than the limit",
  silent: "it is running, but made no progress for longer than the limit",
  idle: "its turn is finished, so it is idle",
  "idle-with-work": "its turn is finished, but work is recorded as in progress",
  overdue: "no beat by the expected time",
  "no-beat": "no beat within the expected time plus grace",
  "run-overdue": "a run began and did not end by the expected time",
  beat: "its last beat is on time",
  "wrapper-beat": "its wrapper, such as rollcall run, reports that it is running",
  "duplicate-id": "beats under this id come from two hosts",
  present: "it is running, and no beats are expected",
  registered: "registered, but no sign of life yet",
  "never-heard": "registered, but no beat within its first interval plus grace",
} as const;

export type Reason = keyof typeof REASONS;

/** Which row of the table "which evidence wins" a reason belongs to. */
const ROWS: Readonly<Record<Reason, number>> = {
  paused: 1,
  "not-watched": 2,
  "host-out-of-contact": 2,
  "future-stamp": 2,
  ended: 3,
  exited: 3,
  "no-answer": 3,
  orphan: 3,
  "beats-without-process": 3,
  permission: 4,
  question: 4,
  login: 4,
  limit: 4,
  "says-error": 5,
  "done-not-proven": 5,
  "over-budget": 5,
  working: 6,
  "works-without-beats": 6,
  spinning: 7,
  looping: 7,
  retrying: 7,
  silent: 7,
  idle: 8,
  "idle-with-work": 8,
  "did-not-wake": 9,
  overdue: 9,
  "no-beat": 9,
  "run-overdue": 9,
  beat: 10,
  "wrapper-beat": 10,
  "duplicate-id": 10,
  present: 10,
  registered: 10,
  "never-heard": 10,
};

export function rowOf(reason: Reason): number {
  return ROWS[reason];
}

/** Whether a state is one that somebody should look at. */
export function isTrouble(state: State): boolean {
  return traitsOf(state).severity !== undefined;
}

/** How many agents are in each state; a state in which nobody is may be missing. */
export type StateCounts = Readonly<Partial<Record<State, number>>>;

export function countStates(agents: Iterable<{ readonly state: State }>): StateCounts {
  const counts: Partial<Record<State, number>> = {};
  for (const { state } of agents) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

export function sumOf(counts: StateCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

export function exitCodeOf(state: State): 0 | 1 | 2 | 3 {
  return STATE_TRAITS[state].exitCode;
}
