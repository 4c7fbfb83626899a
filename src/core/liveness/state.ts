/** Every state an agent can be in, with the line that the docs show. */
export const STATES = {
  new: "registered, but no sign of life yet",
  alive: "it sends beats, or Rollcall sees it working",
  late: "overdue, but still within its grace",
  resting: "finished its cycle or turn; the next one is not due yet",
  waiting: "needs a human: for a permission, an answer or a login",
  limited: "at a usage or rate limit",
  stalled: "running, but making no progress",
  failing: "reports an error itself, claims unproven work as done, or is over its budget",
  dead: "silent beyond its grace, or ended unexpectedly",
  paused: "paused by an operator; not judged until resumed",
  unknown: "Rollcall cannot tell: it was not watching, or the timestamp cannot be right",
} as const;

export type State = keyof typeof STATES;

/** Every reason a verdict can give. A reason belongs to one row of the table "which evidence wins". */
export const REASONS = {
  paused: "an operator paused it",
  "not-watched": "Rollcall was not watching, or could not check it",
  "host-out-of-contact": "its host has not reported to the hub; what was dead before stays dead",
  "future-stamp": "its last timestamp is in the future",
  ended: "its cycle, work or process ended cleanly",
  "did-not-wake": "it ended cleanly, but did not start again in time",
  exited: "its process ended unexpectedly",
  "no-answer": "its address does not answer, or answers with a wrong status",
  orphan: "work is recorded as in progress, but its session or process is gone or never existed",
  "beats-without-process": "beats continue although the process is gone",
  permission: "its screen asks for permission",
  question: "its screen asks a question",
  login: "its screen asks for a login",
  limit: "its screen shows a usage or rate limit",
  "says-error": "its last own beat, or its last cycle, reports an error",
  "done-not-proven": "it reported work as done, but the check of that work failed",
  "over-budget": "it used more tokens or money today than its budget allows",
  working: "new output, an open tool call, or retries within the limit",
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

/** `rollcall check` ends with these, so that a script can tell well from unwell. */
export function exitCodeOf(state: State): 0 | 1 | 2 | 3 {
  switch (state) {
    case "alive":
    case "resting":
    case "paused":
      return 0;
    case "late":
    case "waiting":
    case "limited":
      return 1;
    case "stalled":
    case "failing":
    case "dead":
      return 2;
    case "new":
    case "unknown":
      return 3;
  }
}
