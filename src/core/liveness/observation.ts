import type { Asks } from "../asks.ts";
import { type Beat, type BeatSource, type BeatStatus, beatAt, type Incarnation } from "../beat.ts";
import type { Instant } from "../duration.ts";
import type { Machine } from "../screen/machine.ts";
import type { Reason, State } from "./state.ts";

/** Who tells it: `beat`, `work`, `hook`, `usage` and `host` are the engine's own, the others are the kinds of signals in the registry. */
export type Signal = string;

/** What the agent is busy with: it decides which silence is normal. */
export type Context = "model" | "tool" | "unknown";

/** What a screen, a transcript or the agent itself says. The first three need a human or the clock, the last three are suspicious. */
export type Reading =
  | "waiting"
  | "login"
  | "limited"
  | "working"
  | "retrying"
  | "idle"
  | "looping"
  | "spinning";

interface Fact {
  readonly signal: Signal;
  /** When it was true. */
  readonly at: Instant;
}

/** A fact that a beat told. */
interface Told extends Fact {
  /** The beat was unproven: any program on this machine could have sent it. */
  readonly unproven?: true;
}

/** A beat was heard. */
export interface BeatHeard extends Told {
  readonly kind: "beat";
  readonly source: BeatSource;
  readonly status: BeatStatus;
  readonly host?: string;
  readonly incarnation?: Incarnation;
  readonly message?: string;
  /** When the first beat of this host under this id was heard. */
  readonly firstAt: Instant;
}

/** A cycle began or ended in good order; `ok` is false if it ended with an error that it told itself. */
export interface CycleMark extends Told {
  readonly kind: "cycle";
  readonly event: "begun" | "ended";
  readonly ok: boolean;
  /** How it ended, if somebody asked it to. */
  readonly stopped?: string;
  readonly cycle?: number;
  readonly incarnation?: Incarnation;
}

/** The process, pane or unit was there when we looked. */
export interface Presence extends Fact {
  readonly kind: "present";
  readonly incarnation?: Incarnation;
}

/** It was gone when we looked at `seenAt`; `at` is when it was last seen. */
export interface Gone extends Told {
  readonly kind: "gone";
  readonly seenAt: Instant;
  readonly clean: boolean;
  /** The shell is back on its terminal, below the words of a crash or not. */
  readonly shell?: "calm" | "crash";
  /** Its terminal is gone with it; and a person ended it, as its client says. */
  readonly lost?: true;
  readonly byHand?: true;
  readonly incarnation?: Incarnation;
  readonly exit?: string;
}

/** Something new was written at `at`: a log grew, a transcript gained a line. Looked at at `seenAt`. */
export interface Activity extends Fact {
  readonly kind: "activity";
  readonly seenAt: Instant;
  readonly context: Context;
}

/** What the screen, the transcript or the agent itself said at `seenAt`, and since when (`at`). */
export interface ScreenRead extends Fact {
  readonly kind: "reading";
  readonly seenAt: Instant;
  readonly reading: Reading;
  readonly context: Context;
  /** When something new was last said: what separates work from a spinner. */
  readonly progressAt: Instant;
  /** What it waits for, in a word; and when a limit ends, where the screen says so. */
  readonly detail?: string;
  readonly resetAt?: Instant;
  /** Since when nothing has come over its connections, where they always carried something: it hangs. */
  readonly hungSince?: Instant;
  /** What a person is asked, and what is done, in the agent's own words. */
  readonly asks?: Asks;
  readonly doing?: string;
  /** When this signal last said that it waits for a person. */
  readonly askedAt?: Instant;
  /** Whoever told this tells the ends of turns and nothing else. */
  readonly endsOnly?: true;
  /** A beat without a token says so: any program on this machine could have sent it. */
  readonly unproven?: true;
}

/** What the machine told of its terminal at `seenAt`, since `at`. The reader of its screen has taken it into account. */
export interface MachineSeen extends Fact, Machine {
  readonly kind: "machine";
  readonly seenAt: Instant;
}

/** Work was recorded as under way since `at`, or as done. */
export interface WorkMark extends Fact {
  readonly kind: "work";
  readonly open: boolean;
  /** When the record was read. */
  readonly seenAt?: Instant;
  /** When work under way was last updated, if it was at all since it was recorded. */
  readonly updatedAt?: Instant;
  /** Some of it was said to be done at `at`, and its check failed: what happened. */
  readonly notProven?: { readonly at: Instant; readonly says: string };
}

/** How many calls of its tools it made since the last with an input that was new to its session (`at`). */
export interface Repeats extends Fact {
  readonly kind: "repeats";
  readonly seenAt: Instant;
  readonly calls: number;
  /** Since when that is a loop, and the calls that it repeats. */
  readonly loopsSince?: Instant;
  readonly quotes?: string;
}

/** It used more than its budget allows since `at`: what, for people. Without that it did not. */
export interface BudgetMark extends Fact {
  readonly kind: "budget";
  readonly seenAt: Instant;
  readonly over?: string;
}

/** The runs that are under way by what was told: since when the oldest is, or that none is. */
export interface RunsMark extends Fact {
  readonly kind: "runs";
  readonly openSince?: Instant;
}

/** What the host of an agent judged, dated by our clock: since when, and when it reached us. */
export interface HostVerdict extends Fact {
  readonly kind: "verdict";
  readonly seenAt: Instant;
  readonly state: State;
  readonly reason: Reason;
  readonly why: string;
  readonly lastBeatAt?: Instant;
  readonly cycle?: number;
  readonly action?: string;
  /** The host has a nudge or a restart for it, and lets the hub ask for one. */
  readonly canStep?: true;
}

/** The host of an agent was lost out of contact at `at`, or is back. */
export interface Contact extends Fact {
  readonly kind: "contact";
  readonly lost: boolean;
}

/** A signal could not be read: it does not count until it can, and the verdict names it. */
export interface Degraded extends Fact {
  readonly kind: "degraded";
  readonly problem: string;
  /** The place was read, and the agent's session or process is not there and never was, as far as is known. */
  readonly absent?: true;
}

export type Observation =
  | BeatHeard
  | CycleMark
  | Presence
  | Gone
  | Activity
  | ScreenRead
  | MachineSeen
  | WorkMark
  | Repeats
  | BudgetMark
  | RunsMark
  | HostVerdict
  | Contact
  | Degraded;

/** The facts that a beat brings: that it was heard, and where its cycle stands. */
export function observationsOf(beat: Beat): readonly Observation[] {
  const at = beatAt(beat);
  // Filled in place: this runs for every beat, and nearly none has all of them.
  const heard: { -readonly [K in keyof BeatHeard]: BeatHeard[K] } = {
    kind: "beat",
    signal: "beat",
    at,
    firstAt: at,
    source: beat.source,
    status: beat.status,
  };
  if (beat.host !== undefined) heard.host = beat.host;
  if (beat.incarnation !== undefined) heard.incarnation = beat.incarnation;
  if (beat.unproven === true) heard.unproven = true;
  if (beat.message !== undefined) heard.message = beat.message;
  if (beat.cycleEvent === undefined && beat.state === undefined) return [heard];
  const more = {
    ...(beat.incarnation === undefined ? {} : { incarnation: beat.incarnation }),
    ...(beat.unproven === true ? { unproven: true as const } : {}),
  };
  const said = saidBy(beat, at);
  if (beat.cycleEvent === undefined) return [heard, ...said];
  // One that somebody asked to stop is told with the status ok.
  const stopped = beat.outcome === "killed" && beat.status === "ok";
  if (
    beat.cycleEvent === "ended" &&
    (beat.outcome === "crashed" || (beat.outcome === "killed" && !stopped))
  ) {
    // Whoever ran the cycle tells that its process is gone.
    const exit = beat.message ?? beat.outcome;
    return [heard, ...said, { kind: "gone", signal: "beat", at, seenAt: at, clean: false, exit, ...more }];
  }
  const mark: CycleMark = {
    kind: "cycle",
    signal: "beat",
    at,
    event: beat.cycleEvent,
    ok: stopped || (beat.outcome ?? beat.status) === "ok",
    ...(stopped ? { stopped: beat.message ?? "stopped" } : {}),
    ...(beat.cycle === undefined ? {} : { cycle: beat.cycle }),
    ...more,
  };
  return [heard, ...said, mark];
}

/** What the agent says of itself. That it is done ends its cycle, unless any program could have said so. */
function saidBy(beat: Beat, at: Instant): readonly Observation[] {
  const { state, asks, until, unproven, incarnation } = beat;
  if (state === undefined) return [];
  if (state === "done") {
    if (unproven === true || beat.cycleEvent !== undefined) return [];
    return [
      {
        ...{ kind: "cycle", signal: "beat", at, event: "ended", ok: beat.status === "ok" },
        ...(beat.cycle === undefined ? {} : { cycle: beat.cycle }),
        ...(incarnation === undefined ? {} : { incarnation }),
      },
    ];
  }
  return [
    {
      ...{
        kind: "reading",
        signal: "beat",
        at,
        seenAt: at,
        reading: state,
        context: "unknown",
        progressAt: at,
      },
      ...(state === "waiting" ? { detail: "question" } : {}),
      ...(asks === undefined ? {} : { asks }),
      // A time that was over when it was told says nothing of what is to come.
      ...(until === undefined || until <= at ? {} : { resetAt: until }),
      ...(unproven === true ? { unproven } : {}),
    },
  ];
}
