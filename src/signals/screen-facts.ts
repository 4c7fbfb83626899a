import * as z from "zod";
import type { Instant } from "../core/duration.ts";
import type { Context, Observation, Reading, Signal } from "../core/liveness/observation.ts";
import { SHELL_IN_FRONT } from "../core/screen/decide.ts";
import { noLife } from "../core/screen/life.ts";
import { read } from "../core/screen/read.ts";
import type { Reading as RawReading, ReadingState } from "../core/screen/reading.ts";
import type { Packs } from "../core/screen/rule.ts";
import type { Frame } from "../core/screen/screen.ts";
import type { ReaderState } from "../core/screen/state.ts";

/** What a person must act on is told only when a second look agrees: a dialog may be gone in a moment. */
const DEBOUNCED: readonly ReadingState[] = ["waiting", "login", "limited"];
/** A loop that starts its program again leaves the shell in front for a moment. */
const isDebounced = ({ state, rule }: RawReading) => DEBOUNCED.includes(state) || rule === SHELL_IN_FRONT;
/** What stands since the last byte, however late we looked. */
const SILENT: readonly ReadingState[] = [...DEBOUNCED, "idle", "exited"];
/** Bytes older than this are read as of when they were written, and then again as of now. */
const LATE = 500;

export interface ScreenFactsSettings {
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
  readonly end?: RawReading["end"];
}

interface Memory {
  reader?: ReaderState;
  /** Read once, and not yet believed. */
  doubt?: Standing;
  told?: Told;
}

export interface ScreenFacts {
  /** Reads a frame and says what changed; with `fresh` also what did not. */
  read(frame: Frame, fresh?: boolean): readonly Observation[];
  /** Says again what stands, without looking. */
  again(now: Instant): readonly Observation[];
  /** What the agent is busy with, as far as it was told. */
  context(): Context;
  /** The reading that was told last, `exited` among them. */
  reading(): ReadingState | undefined;
  /** Whether a second look must still agree. */
  doubts(): boolean;
  memory(): unknown;
}

/**
 * Turns screens over time into facts. It has two states: what was told, and at most one doubt (a reading that
 * needs a second look to agree). While there is a doubt, what was told stands.
 */
export function screenFacts(settings: ScreenFactsSettings, restored?: unknown): ScreenFacts {
  const { signal, packs, zone } = settings;
  let memory = memoryOf(restored);

  const step = (frame: Frame): RawReading => {
    let done: ReturnType<typeof read>;
    try {
      done = read(memory.reader, frame, packs, { zone });
    } catch (error) {
      // Only a memory that is not ours can do this; without one, it is an error of the reader's.
      if (memory.reader === undefined) throw error;
      memory = {};
      done = read(undefined, frame, packs, { zone });
    }
    memory.reader = done.state;
    return done.reading;
  };

  /** Bytes that were written a while ago tell of that moment; the silence since then tells of now. */
  const readAt = (frame: Frame): RawReading => {
    const { t, writtenAt, bytes } = frame;
    if (bytes === 0 || writtenAt === undefined || t - writtenAt < LATE) return step(frame);
    const then = Math.max(writtenAt, memory.reader?.t ?? writtenAt);
    if (then >= t) return step(frame);
    step({ ...frame, t: then });
    return step({ ...frame, t, bytes: 0, scrolled: 0 });
  };

  const tell = (now: Instant): readonly Observation[] => {
    const { told } = memory;
    if (told === undefined) return [];
    const { state, at, kind, context, progressAt, resetAt } = told;
    if (state === "exited") {
      const { clean = false, crashed = false } = told.end ?? {};
      const exit = crashed ? "its shell is back, below the words of a crash" : "its shell is back";
      return [{ kind: "gone", signal, at: Math.min(told.writtenAt, now), seenAt: now, clean, exit }];
    }
    const reading: Reading = state;
    return [
      {
        ...{ kind: "reading", signal, at, seenAt: now, reading, context, progressAt },
        ...(kind === undefined ? {} : { detail: kind }),
        ...(resetAt === undefined ? {} : { resetAt }),
      },
    ];
  };

  return {
    read(frame, fresh = false) {
      const now = frame.t;
      const raw = readAt(frame);
      const writtenAt = memory.reader?.writtenAt ?? now;
      const { told, doubt } = memory;
      const same = told?.state === raw.state && told.kind === raw.kind;
      if (same) delete memory.doubt;
      else if (isDebounced(raw) && doubt?.state !== raw.state) {
        memory.doubt = standing(raw, now, writtenAt);
        return fresh ? tell(now) : [];
      }
      // How it ended is told once: what a person does in the shell afterwards is not the agent's.
      const end = same && told.end !== undefined ? told.end : raw.end;
      const since = same ? told : (agreeing(doubt, raw) ?? standing(raw, now, writtenAt));
      delete memory.doubt;
      const next: Told = {
        ...standing(raw, now, writtenAt),
        at: since.at,
        context: raw.context,
        progressAt: raw.progressAt,
        // What a shell writes after the end is not the agent's.
        writtenAt: same && raw.state === "exited" ? told.writtenAt : writtenAt,
        ...(raw.resetAt === undefined ? {} : { resetAt: raw.resetAt }),
        ...(end === undefined ? {} : { end }),
      };
      memory.told = next;
      if (!fresh && same && !differs(told, next)) return [];
      const back = told?.state === "exited" && raw.state !== "exited";
      // Whoever saw it go has to say that it is there again.
      return back ? [{ kind: "present", signal, at: now }, ...tell(now)] : tell(now);
    },
    again: tell,
    context: () => memory.told?.context ?? "unknown",
    reading: () => memory.told?.state,
    doubts: () => memory.doubt !== undefined,
    memory: () => memory,
  };
}

function standing({ state, kind }: RawReading, now: Instant, writtenAt: Instant): Standing {
  const at = SILENT.includes(state) ? Math.min(writtenAt, now) : now;
  return { state, at, ...(kind === undefined ? {} : { kind }) };
}

function agreeing(doubt: Standing | undefined, { state }: RawReading): Standing | undefined {
  return doubt?.state === state ? doubt : undefined;
}

function differs(a: Told, b: Told): boolean {
  if (a.state === "exited") return false;
  return a.context !== b.context || a.progressAt !== b.progressAt || a.resetAt !== b.resetAt;
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
  told: z
    .looseObject({
      ...standingShape.shape,
      context: z.enum(["model", "tool", "unknown"]),
      progressAt: instant,
      writtenAt: instant,
      resetAt: instant.optional(),
      end: z.object({ clean: z.boolean(), crashed: z.boolean() }).optional(),
    })
    .optional(),
});

/** A memory of another version, or a damaged one, is no reason to stop: it starts anew. */
function memoryOf(restored: unknown): Memory {
  const checked = shape.safeParse(restored);
  if (!checked.success) return {};
  return structuredClone(checked.data) as unknown as Memory;
}
