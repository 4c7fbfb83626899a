import { type Life, noLife } from "./life.ts";
import type { Hit, MatchedFacts } from "./match.ts";
import { noProgress, type Progress } from "./progress.ts";

/** What the reader remembers between frames: bounded, plain data that can be stored as JSON. */
export type ReaderState = {
  /** When the last frame was read. */
  t: number;
  /** When the program last wrote, and since when it has written without a pause. */
  writtenAt: number;
  activeSince: number;
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
  /** An agent has been seen in this terminal, so a shell's prompt means that it is gone. */
  agent: boolean;
  /** Since when it has been busy without a break; absent while it is not. */
  busySince?: number;
  /** When a tool was last seen to run: its silence is not the model's. */
  toolAt: number;
  progress: Progress;
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
