import { type Life, noLife } from "./life.ts";
import type { Hit, MatchedFacts } from "./match.ts";
import { noProgress, type Progress } from "./progress.ts";

/** How text is focused in the program of this terminal. */
export type FocusMemory = {
  /** On this screen: in the input box, somewhere else, nowhere, or not to be seen. */
  readonly now: "box" | "other" | "none" | "unknown";
  /** Looks at which it had one while the program said that it was busy, and looks at which it had none then. */
  readonly kept: number;
  readonly lost: number;
  /** A dialog that a rule knows took it away, once at least. */
  readonly isTaken: boolean;
  /** A number for everything but the row in which a person types. */
  readonly around: number;
};

/** How bytes have come in while the program was busy with a model. */
export type WireMemory = {
  /** Looks at which bytes had come in within the last ten seconds. */
  readonly fed: number;
  /** The longest pause that was followed by more bytes, in milliseconds. */
  readonly pause: number;
  readonly receivedAt: number;
  /** The last request, and how many were sent in this turn without anything new on the screen. */
  readonly sentAt: number;
  readonly attempts: number;
};

/** The row on which a program waits that only appends, and a number for all that stands above it. */
export type Rest = { readonly line: string; readonly above: number };

/** What the reader remembers between frames: bounded, plain data that can be stored as JSON. */
export type ReaderState = {
  /** When the last frame was read. */
  t: number;
  /** When the program last changed its screen, and since when it has changed it without a pause. */
  writtenAt: number;
  activeSince: number;
  /** When it last wrote anything, even if its screen looked the same after that; and how it looked, in how many looks in a row. */
  drawing?: { readonly at: number; readonly face: number; readonly same: number };
  /** When it last wrote anything outside of the row in which a person types. */
  otherAt?: number;
  /** What the rules found on the last screen that changed. */
  facts: MatchedFacts;
  /** When the text that gives the reset time was first seen: "in 8s" counts from there. */
  reset?: { row: string; at: number };
  /** The last announcement of a retry, since when it has stood like this, and when it was last believed. */
  held?: { hit: Hit; since: number; t: number };
  /** The program in the foreground has shown a sign of being busy, so the lack of one tells something. */
  signs: boolean;
  /** Busy signs that outlived the drawing, by rule and text. */
  worn: readonly string[];
  /** The agent has rested without a busy sign below its input box: one that stands there in a later turn tells the truth. */
  clears?: true;
  /** An agent has been seen in this terminal, so a shell's prompt means that it is gone. */
  agent: boolean;
  /** Since when it has been busy without a break; absent while it is not. */
  busySince?: number;
  /** When a tool was last seen to run: its silence is not the model's. */
  toolAt: number;
  /** The same of the last tool that is seen to run no more: that it ended is progress. */
  toolEndedAt?: number;
  progress: Progress;
  /** Where a program that only appends rested last. */
  rested?: Rest;
  /** When it was last seen not to be busy: a child that is younger belongs to this turn. */
  restedAt?: number;
  /** How text is focused in this program, and how bytes come in over its connections. */
  focus?: FocusMemory;
  wire?: WireMemory;
  /** The program in this terminal and how it ended. */
  life: Life;
  /** The prompt of the shell in which it ended, and the row on which the next one was started there. Empty if unknown. */
  prompt: string;
  began: string;
};

export function freshState(t: number): ReaderState {
  return {
    t,
    writtenAt: t,
    activeSince: t,
    facts: { hits: [] },
    signs: false,
    worn: [],
    agent: false,
    toolAt: t,
    progress: noProgress(t),
    life: noLife,
    prompt: "",
    began: "",
  };
}
