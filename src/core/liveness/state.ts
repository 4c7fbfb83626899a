/** Every state an agent can be in, with the line that the docs show. */
export const STATES = {
  new: "registered, never heard",
  alive: "it beats, or it is seen to work",
  late: "past the expected time, inside the grace",
  resting: "ended its cycle cleanly, and the next one is not due",
  waiting: "needs a human: permission, question, login",
  limited: "at a usage or rate limit",
  stalled: "there, but without progress",
  failing: "says error itself",
  dead: "silent beyond its grace, or seen to end without a clean end",
  paused: "not judged, because an operator said so",
  unknown: "we cannot tell: we were not watching, or the stamp cannot be right",
} as const;

export type State = keyof typeof STATES;

/** Every reason a verdict can give. A reason belongs to one row of the table "which evidence wins". */
export const REASONS = {
  paused: "an operator paused it",
  "not-watched": "overdue, but we were not watching; it still has its chance",
  "future-stamp": "its last stamp lies in the future",
  ended: "its cycle, work or process ended cleanly",
  "did-not-wake": "it ended cleanly and did not begin again in time",
  exited: "its process ended without a clean end",
  "no-answer": "its address does not answer, or not as it should",
  orphan: "work is recorded as under way, but its session or process is gone or never was",
  "beats-without-process": "beats go on although the process is gone",
  permission: "its screen asks for permission",
  question: "its screen asks a question",
  login: "its screen asks for a login",
  limit: "its screen shows a usage or rate limit",
  "says-error": "its last own beat says error",
  working: "new content, an open tool call, or retries within their limit",
  "works-without-beats": "it works, but the beats that it promised do not come",
  spinning: "its screen moves, but says nothing new, beyond the limit",
  looping: "its screen repeats itself beyond the limit",
  retrying: "it retries beyond the limit",
  silent: "it is there, but nothing new came beyond the limit",
  idle: "its turn is over and nothing is recorded as under way",
  "idle-with-work": "its turn is over although work is recorded as under way",
  overdue: "no beat by the expected time",
  "no-beat": "no beat within the expected time and the grace",
  "run-overdue": "a run began and did not end by the expected time",
  beat: "its last beat is fresh",
  "wrapper-beat": "what runs it says that it is there",
  "duplicate-id": "beats under this id come from two hosts",
  present: "it is there, and promises no beats",
  registered: "registered, not yet heard",
  "never-heard": "registered, and never heard within its first dead-after",
} as const;

export type Reason = keyof typeof REASONS;

/** Which row of the table "which evidence wins" a reason belongs to. */
const ROWS: Readonly<Record<Reason, number>> = {
  paused: 1,
  "not-watched": 2,
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
