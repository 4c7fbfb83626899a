import type { Instant } from "../../core/duration.ts";
import type { Context, Observation, Signal } from "../../core/liveness/observation.ts";
import type { ReadingState } from "../../core/screen/reading.ts";
import type { Frame } from "../../core/screen/screen.ts";
import { readScreen, type ScreenMemory, screenMemoryOf, tell } from "./screen-reading.ts";
import type { Screens } from "./screens.ts";

export interface ScreenFactsSettings {
  /** In whose name the facts are told. */
  readonly signal: Signal;
  readonly screens: Screens;
}

export interface ScreenFacts {
  /** Reads a frame and says what changed; with `fresh` also what did not. */
  read(frame: Frame, fresh?: boolean, abort?: AbortSignal): Promise<readonly Observation[]>;
  /** Says again what stands, without looking. */
  again(now: Instant): readonly Observation[];
  /** What the agent is busy with, as far as it was told. */
  context(): Context;
  /** The reading that was told last, `exited` among them. */
  reading(): ReadingState | undefined;
  /** Whether a second look must still agree. */
  doubts(): boolean;
  memory(): unknown;
  /** Forgets what another program has shown. */
  forget(): void;
}

const NO_PACKS = { clients: [], generic: [] };

/** Turns screens over time into facts. It keeps what is remembered; `screens` reads. */
export function screenFacts({ signal, screens }: ScreenFactsSettings, restored?: unknown): ScreenFacts {
  let memory: ScreenMemory = screenMemoryOf(restored);
  /** Set from the beginning of a reading to its end, so that a screen that could not be read is read again. */
  let unread = false;

  /** A screen on which nothing was written is not matched again: then reading costs less than asking for it. */
  const readHere = (frame: Frame, fresh: boolean): readonly Observation[] | undefined => {
    if (frame.bytes > 0 || memory.reader === undefined) return undefined;
    try {
      return readScreen(memory, frame, fresh, { signal, packs: NO_PACKS, zone: screens.zone });
    } catch {
      // This memory is not ours.
      memory = {};
      return undefined;
    }
  };

  return {
    async read(frame, fresh = false, abort) {
      const whole = unread ? { ...frame, bytes: Math.max(1, frame.bytes) } : frame;
      const here = readHere(whole, fresh);
      if (here !== undefined) return here;
      unread = true;
      const done = await screens.read({ signal, memory, frame: whole, fresh }, abort);
      memory = done.memory;
      unread = false;
      return done.facts;
    },
    again: (now) => tell(memory, signal, now),
    context: () => memory.told?.context ?? "unknown",
    reading: () => memory.told?.state,
    doubts: () => memory.doubt !== undefined,
    memory: () => memory,
    forget() {
      memory = {};
    },
  };
}
