import { DAY, HOUR, type Instant, MINUTE, type Millis, SECOND } from "../duration.ts";
import { isNewer } from "./memory.ts";
import type { Reading, ScreenRead } from "./observation.ts";

/** The questions that several sources may answer, each in its own way. */
type Question = "works" | "waits" | "limited" | "over";

const QUESTIONS: Readonly<Record<Reading, Question>> = {
  ...{ working: "works", retrying: "works", spinning: "works", looping: "works" },
  ...{ waiting: "waits", login: "waits", limited: "limited", idle: "over" },
} as const;

/** What the agent itself told (by a hook of its client, or by a beat), against what was seen of it (screen, transcript). */
interface Terms {
  /** How long its own word counts against what is seen, from its last event on. */
  readonly believedFor: Millis;
  /** What may overrule it: how long that must have been seen, after the word. What is not named may not. */
  readonly overruledBy: Readonly<Partial<Record<Question, Millis>>>;
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * The table. The screen may promote work to waiting at once, and never turns waiting into work: it ends only a dialog that it has
 * seen itself and that is gone (`isAnswered`). Some clients say nothing when somebody presses Esc, so an idle screen ends work after
 * a while, and at once if the transcript says so too. (That it has *ended* is decided before any of this, by `restingRow` and `goneRow`.)
 */
const TABLE: Readonly<Record<Question, Terms>> = {
  works: { believedFor: 15 * MINUTE, overruledBy: { waits: 0, limited: 0, over: 20 * SECOND } },
  waits: { believedFor: DAY, overruledBy: {} },
  limited: { believedFor: 6 * HOUR, overruledBy: { waits: 0, works: MINUTE } },
  over: { believedFor: HOUR, overruledBy: { waits: 0, limited: 0, works: MINUTE } },
};

/** Under a tool that says nothing many screens look idle. */
const TOOL = { believedFor: HOUR, over: MINUTE } as const;

/** A screen that showed something else for a while after the word, and then turned idle, is not a late look at an old one. */
const TURNED = { after: 5 * SECOND, over: 6 * SECOND } as const;

/** A client that tells only the ends of its turns cannot tell that the next one has begun: its screen or transcript must. */
const ENDS_ONLY: Millis = 6 * SECOND;

/** A screen that was not looked at again since has not changed since: after this long it counts as seen after the word. */
const STANDS: Millis = 30 * SECOND;

/** Sources that disagree for longer than this are evidence in themselves. */
const DISAGREE: Millis = MINUTE;

/** Two sources that say different things. */
export interface Dissent {
  readonly told: ScreenRead;
  readonly seen: ScreenRead;
  readonly since: Instant;
}

export interface Fused {
  /** What is believed. */
  readonly reading: ScreenRead | undefined;
  /** When time alone may change that. */
  readonly next: Instant;
  readonly dissent?: Dissent;
}

/** Which of the sources is believed. `beatsFor`: how long the state that a beat told counts. */
export function fuse(readings: readonly ScreenRead[], now: Instant, beatsFor: Millis = HOUR): Fused {
  const words = readings.filter(({ signal }) => signal === "hook" || signal === "beat");
  const counting = words.filter((word) => now < endOf(word, beatsFor));
  const sights = readings.filter(({ signal }) => signal !== "hook" && signal !== "beat");
  const told = newest(counting.filter((word) => !isOutranked(word, [...counting, ...sights])));
  const seen = sightOf(sights.filter((sight) => told === undefined || !isOldNews(sight, told)));
  const ends = Math.min(NEVER, ...counting.map((word) => endOf(word, beatsFor)));
  if (told === undefined || seen === undefined) {
    // The only word stays the last one: how long ago it was decides the rest. That of a beat ends with the beats.
    const last = seen ?? told ?? newest(words.filter(({ signal }) => signal === "hook"));
    return { reading: last, next: ends };
  }
  const { reading, next } = between(told, seen, readings, now);
  const since = Math.max(told.at, seen.at);
  const differ = questionOf(told) !== questionOf(seen);
  const isOld = differ && now >= since + DISAGREE;
  return {
    reading,
    next: Math.min(next, ends, differ && !isOld ? since + DISAGREE : NEVER),
    ...(isOld ? { dissent: { told, seen, since } } : {}),
  };
}

function questionOf({ reading }: ScreenRead): Question {
  return QUESTIONS[reading];
}

function newest(readings: readonly ScreenRead[]): ScreenRead | undefined {
  return readings.reduce<ScreenRead | undefined>(
    (best, one) => (best === undefined || isNewer(one, best) ? one : best),
    undefined,
  );
}

/** Some lines are written a moment after the event that they belong to. */
const WRITTEN_LATE: Millis = 10 * SECOND;

/** A transcript that says what it said before the word, and was not written on, is no word against it: some never tell that a turn ended. */
function isOldNews({ signal, at, progressAt }: ScreenRead, told: ScreenRead): boolean {
  return signal === "transcript" && at <= told.at && progressAt <= told.seenAt + WRITTEN_LATE;
}

/** What is seen: the newest. But that a turn is over says nothing of why: what a screen shows since then does. */
function sightOf(sights: readonly ScreenRead[]): ScreenRead | undefined {
  const last = newest(sights);
  if (last === undefined || last.signal !== "transcript" || questionOf(last) !== "over") return last;
  const holds = (one: ScreenRead) => questionOf(one) === "waits" || questionOf(one) === "limited";
  return newest(sights.filter((one) => holds(one) && one.seenAt >= last.at)) ?? last;
}

/** When a word counts no more. */
function endOf(word: ScreenRead, beatsFor: Millis): Instant {
  const { seenAt, context, resetAt } = word;
  if (word.signal === "beat") return Math.max(seenAt + beatsFor, resetAt ?? 0);
  const question = questionOf(word);
  if (question === "limited" && resetAt !== undefined) return Math.max(seenAt, resetAt) + MINUTE;
  return (
    seenAt + (question === "works" && context === "tool" ? TOOL.believedFor : TABLE[question].believedFor)
  );
}

/** Any program may have sent it, so it never replaces a proven word that the agent waits for a person or for the clock. */
function isOutranked(word: ScreenRead, readings: readonly ScreenRead[]): boolean {
  const held = (one: ScreenRead) => one.unproven !== true && ["waits", "limited"].includes(questionOf(one));
  return word.unproven === true && readings.some(held);
}

function between(
  told: ScreenRead,
  seen: ScreenRead,
  readings: readonly ScreenRead[],
  now: Instant,
): { readonly reading: ScreenRead; readonly next: Instant } {
  const [word, sight] = [questionOf(told), questionOf(seen)];
  if (word === sight) return { reading: both(told, seen, word), next: NEVER };
  if (word === "waits") return { reading: isAnswered(told, readings) ? seen : told, next: NEVER };
  const needed = neededFor(told, seen, readings);
  if (needed === undefined) return { reading: told, next: NEVER };
  // What stood there before the word, and was not looked at since, may be over.
  const from = seen.seenAt > told.seenAt ? Math.max(seen.at, told.seenAt) : told.seenAt + STANDS;
  const due = from + needed;
  return now >= due ? { reading: seen, next: NEVER } : { reading: told, next: due };
}

/** How long a different sight must last before it is believed. */
function neededFor(told: ScreenRead, seen: ScreenRead, readings: readonly ScreenRead[]): Millis | undefined {
  const [word, sight] = [questionOf(told), questionOf(seen)];
  if (sight === "works" && told.endsOnly === true) return ENDS_ONLY;
  if (sight !== "over") return TABLE[word].overruledBy[sight];
  if (word === "works" && readings.some((one) => isWrittenEnd(one, told))) return 0;
  if (told.context === "tool") return TOOL.over;
  if (word === "works" && seen.at > told.seenAt + TURNED.after) return TURNED.over;
  return TABLE[word].overruledBy.over;
}

/** The client wrote into its transcript, after its last event, that the turn is over: it was interrupted, or it failed. */
function isWrittenEnd({ signal, reading, at }: ScreenRead, told: ScreenRead): boolean {
  return signal === "transcript" && reading === "idle" && at > told.seenAt + SECOND;
}

/** A dialog that the screen showed after it was told, and shows no more, was answered; a transcript that went on says so too. */
function isAnswered(told: ScreenRead, readings: readonly ScreenRead[]): boolean {
  return readings.some((seen) => {
    if (seen.signal === "hook" || seen.signal === "beat" || questionOf(seen) === "waits") return false;
    if (seen.signal === "transcript") return seen.at > told.at + SECOND;
    const { askedAt = Number.NEGATIVE_INFINITY } = seen;
    return askedAt >= told.at && seen.seenAt > askedAt;
  });
}

/** Both say the same: the agent knows what it waits for and what it is busy with, the screen how it goes on. */
function both(told: ScreenRead, seen: ScreenRead, question: Question): ScreenRead {
  const seenAt = Math.max(told.seenAt, seen.seenAt);
  const progressAt = Math.max(told.progressAt, seen.progressAt);
  if (question === "works") {
    const { hungSince } = seen;
    return {
      ...told,
      reading: seen.reading,
      seenAt,
      progressAt,
      ...(hungSince !== undefined && { hungSince }),
    };
  }
  const resetAt = told.resetAt ?? seen.resetAt;
  return { ...told, seenAt, progressAt, ...(resetAt === undefined ? {} : { resetAt }) };
}

/** `hook says working, tmux shows waiting`. */
export function sayDissent({ told, seen }: Dissent): string {
  return `sensors-disagree: ${told.signal} says ${told.reading}, ${seen.signal} shows ${seen.reading}`;
}
