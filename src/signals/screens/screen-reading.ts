import * as z from "zod";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Context, Observation, Reading, Signal } from "../../core/liveness/observation.ts";
import { SHELL_IN_FRONT } from "../../core/screen/decide.ts";
import { noLife } from "../../core/screen/life.ts";
import { read } from "../../core/screen/read.ts";
import type { ScreenReading as RawReading, ReadingState } from "../../core/screen/reading.ts";
import type { Packs } from "../../core/screen/rule.ts";
import type { Frame } from "../../core/screen/screen.ts";
import type { ReaderState } from "../../core/screen/state.ts";

/** What a person must act on is told only when a second look agrees: a dialog may be gone in a moment. */
const DEBOUNCED: readonly ReadingState[] = ["waiting", "login", "limited"];
/** A loop that starts its program again leaves the shell in front for a moment. */
const isDebounced = ({ state, rule }: RawReading) => DEBOUNCED.includes(state) || rule === SHELL_IN_FRONT;
/** What stands since the last byte, however late we looked. */
const SILENT: readonly ReadingState[] = [...DEBOUNCED, "idle", "exited"];
/** The words of a crash may be drawn so much later than the shell was seen: a busy tmux draws late. They may be read later still. */
const LATE_WORDS = 15_000;
/** Bytes older than this are read as of when they were written, and then again as of now. */
const LATE = 500;

export interface ReadingMeans {
  /** In whose name the facts are told. */
  readonly signal: Signal;
  readonly packs: Packs;
  /** Zone of times of day that name none. */
  readonly zone: string;
}

/** A reading that stands, and since when. */
interface Standing {
  readonly state: ReadingState;
  readonly kind?: string;
  readonly at: Instant;
}

/** What was told last: a reading and what belongs to it. */
interface Told extends Standing {
  readonly context: Context;
  readonly progressAt: Instant;
  readonly writtenAt: Instant;
  readonly resetAt?: Instant;
  readonly hungSince?: Instant;
  readonly end?: RawReading["end"];
  /** When that end was first seen. */
  readonly endSeenAt?: Instant;
}

/** What is remembered of a screen: plain data. */
export interface ScreenMemory {
  reader?: ReaderState;
  /** Read once, and not yet believed. */
  doubt?: Standing;
  told?: Told;
  /** Somebody asked for what stands while there was a doubt. */
  owed?: true;
}

/**
 * Reads a frame and says what changed; with `fresh` also what did not. It has two states: what was told, and at most one
 * doubt (a reading that needs a second look to agree). While there is a doubt, what was told stands, but is not said anew:
 * after an outage it may be long over. The memory is brought up to date in its place.
 */
export function readScreen(
  memory: ScreenMemory,
  frame: Frame,
  isFresh: boolean,
  { signal, packs, zone }: ReadingMeans,
): readonly Observation[] {
  const now = frame.t;
  const raw = readAt(memory, frame, packs, zone);
  const writtenAt = memory.reader?.writtenAt ?? now;
  const { told, doubt, owed } = memory;
  const before = isSame(told, raw) ? told : undefined;
  if (before === undefined && isDebounced(raw) && doubt?.state !== raw.state) {
    memory.doubt = standing(raw, now, writtenAt);
    if (isFresh) memory.owed = true;
    return [];
  }
  delete memory.owed;
  delete memory.doubt;
  const since = before ?? (doubt?.state === raw.state ? doubt : undefined);
  const next = toldAfter(before, raw, { now, writtenAt, since: since?.at });
  memory.told = next;
  if (!isFresh && owed !== true && before !== undefined && !differs(before, next)) return [];
  const back = told?.state === "exited" && raw.state !== "exited";
  const said = tell(memory, signal, now);
  // Whoever saw it go has to say that it is there again.
  return back ? [{ kind: "present", signal, at: now }, ...said] : said;
}

function isSame(told: Told | undefined, { state, kind }: RawReading): boolean {
  return told?.state === state && told.kind === kind;
}

interface Times {
  readonly now: Instant;
  readonly writtenAt: Instant;
  /** Since when the reading stands, if it was read before. */
  readonly since: Instant | undefined;
}

/** What is told of a reading; `before` is what was told of the same one. */
function toldAfter(before: Told | undefined, raw: RawReading, { now, writtenAt, since }: Times): Told {
  const { context, progressAt, resetAt, hungSince } = raw;
  const { end, endSeenAt } = endOf(before, raw, { now, writtenAt });
  const stands = standing(raw, now, writtenAt);
  return {
    ...{ ...stands, at: since ?? stands.at, context, progressAt },
    // What a shell writes after the end is not the agent's.
    writtenAt: before !== undefined && raw.state === "exited" ? before.writtenAt : writtenAt,
    ...given({ resetAt, hungSince, end, endSeenAt: end && endSeenAt }),
  };
}

/** How it ended is told once, except for words that come late: what a person does in the shell afterwards is not the agent's. */
function endOf(
  told: Told | undefined,
  { end }: RawReading,
  { now, writtenAt }: Pick<Times, "now" | "writtenAt">,
): Required<Pick<Told, "endSeenAt">> & Pick<Told, "end"> {
  const { end: before, endSeenAt = now } = told ?? {};
  if (before === undefined) return { ...(end && { end }), endSeenAt: now };
  const isLate = end?.crashed === true && writtenAt - endSeenAt <= LATE_WORDS;
  return { end: isLate ? end : before, endSeenAt };
}

/** Bytes that were written a while ago tell of that moment; the silence since then tells of now. */
function readAt(memory: ScreenMemory, frame: Frame, packs: Packs, zone: string): RawReading {
  const step = (one: Frame): RawReading => {
    const done = read(memory.reader, one, packs, { zone });
    memory.reader = done.state;
    return done.reading;
  };
  const { t, writtenAt, bytes } = frame;
  if (bytes === 0 || writtenAt === undefined || t - writtenAt < LATE) return step(frame);
  const then = Math.max(writtenAt, memory.reader?.t ?? writtenAt);
  if (then >= t) return step(frame);
  step({ ...frame, t: then });
  return step({ ...frame, t, bytes: 0, scrolled: 0 });
}

/** Says what stands, without looking. */
export function tell({ told }: ScreenMemory, signal: Signal, now: Instant): readonly Observation[] {
  if (told === undefined) return [];
  const { state, at, kind, context, progressAt, resetAt, hungSince } = told;
  if (state === "exited") {
    const { clean = false, crashed = false } = told.end ?? {};
    const exit = crashed ? "its shell prompt is back, below a crash message" : "its shell prompt is back";
    const shell = crashed ? "crash" : "calm";
    return [{ kind: "gone", signal, at: Math.min(told.writtenAt, now), seenAt: now, clean, shell, exit }];
  }
  const reading: Reading = state;
  return [
    {
      ...{ kind: "reading", signal, at, seenAt: now, reading, context, progressAt },
      ...given({ detail: kind, resetAt, hungSince }),
    },
  ];
}

function standing({ state, kind }: RawReading, now: Instant, writtenAt: Instant): Standing {
  const at = SILENT.includes(state) ? Math.min(writtenAt, now) : now;
  return given({ state, at, kind });
}

function differs(a: Told, b: Told): boolean {
  if (a.state === "exited") return a.end?.clean !== b.end?.clean;
  const isOther = a.context !== b.context || a.progressAt !== b.progressAt || a.resetAt !== b.resetAt;
  return isOther || a.hungSince !== b.hungSince;
}

const instant = z.number();
const state = z.enum([
  ...["waiting", "login", "limited", "working", "retrying", "idle", "exited", "looping", "spinning"],
] as const);
const standingShape = z.looseObject({ state, at: instant, kind: z.string().optional() });
const shape = z.looseObject({
  reader: z
    .looseObject({
      t: instant,
      writtenAt: instant,
      activeSince: instant,
      toolAt: instant,
      signs: z.boolean(),
      agent: z.boolean(),
      worn: z.array(z.string()),
      facts: z.looseObject({ hits: z.array(z.looseObject({ says: z.string(), row: z.string() })) }),
      progress: z.looseObject({ novelAt: instant, saidAt: instant, lines: z.array(z.looseObject({})) }),
      life: z
        .looseObject({
          ...{ ran: z.boolean(), over: z.boolean(), shown: z.boolean() },
          ...{ last: state.optional(), clean: z.boolean().optional() },
        })
        .default(noLife),
      prompt: z.string().default(""),
      began: z.string().default(""),
    })
    .optional(),
  doubt: standingShape.optional(),
  owed: z.literal(true).optional(),
  told: z
    .looseObject({
      ...standingShape.shape,
      context: z.enum(["model", "tool", "unknown"]),
      progressAt: instant,
      writtenAt: instant,
      resetAt: instant.optional(),
      hungSince: instant.optional(),
      end: z.object({ clean: z.boolean(), crashed: z.boolean() }).optional(),
      endSeenAt: instant.optional(),
    })
    .optional(),
});

/** A memory of another version, or a damaged one, is no reason to stop: it starts anew. */
export function screenMemoryOf(restored: unknown): ScreenMemory {
  const checked = shape.safeParse(restored);
  if (!checked.success) return {};
  return structuredClone(checked.data) as unknown as ScreenMemory;
}
