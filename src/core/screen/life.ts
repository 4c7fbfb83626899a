import type { Front } from "./machine.ts";
import type { ReadingState } from "./reading.ts";

/** What is remembered of the program in a terminal, to tell how it ended when the shell is back. */
export type Life = {
  /** A program was seen in the foreground, so that the shell in front tells of an end. */
  ran: boolean;
  /** It has ended: the shell is back. */
  over: boolean;
  /** It has drawn what only a coding agent draws. */
  shown: boolean;
  /** What its screen said last. */
  last?: ReadingState;
  /** How the last program ended. */
  clean?: boolean;
};

export const noLife: Life = { ran: false, over: false, shown: false };

/** What a frame adds to it. */
export type Lived = {
  /** What was read, and by which rule. */
  state: ReadingState;
  rule: string;
  /** The words of a crash decided that. */
  crashed: boolean;
  front: Front | undefined;
  /** A shell's prompt stands on the screen, believed or not. */
  prompt: boolean;
  blank: boolean;
  /** The screen shows what only a coding agent draws. */
  shows: boolean;
  /** A coding agent was seen in this terminal, now or earlier. */
  agent: boolean;
  /** The program shows when it is busy. */
  signs: boolean;
  /** It has drawn for a moment only. */
  brief: boolean;
};

export function lifeAfter(before: Life, lived: Lived): Life {
  const { state, rule, crashed, front, prompt, blank, shows, signs, brief } = lived;
  const ran = before.ran || front === "program";
  if (state === "exited") {
    // The words of a crash may come a moment after the shell.
    const clean = before.over
      ? before.clean !== false && !crashed
      : endedCleanly(before, crashed, lived.agent);
    return { ...before, ran, over: true, clean };
  }
  const { last, ...rest } = before;
  const shown = shows || (before.shown && !before.over);
  const now: Life = { ...rest, ran, shown, over: false };
  const known = before.over ? undefined : last;
  // Somebody who types at its prompt makes it draw; a program that shows when it is busy did not say so.
  const isEcho = known === "idle" && signs && rule === "reader/active";
  // Somebody who leaves it makes it draw once more: without a sign of work, that is not the beginning of any.
  const isLeft = known === "idle" && brief && rule.startsWith("reader/");
  // An agent that draws its first screen has not said that it is busy.
  const isFirst = known === undefined && shows && rule === "reader/active";
  const tells =
    !prompt && !blank && !isEcho && !isLeft && !isFirst && front !== "shell" && front !== "suspended";
  const next = tells ? state : known;
  return next === undefined ? now : { ...now, last: next };
}

/**
 * A program that ended while it had something to do, or with the words of a crash, did not end cleanly. A shell does not
 * tell an exit status, so one that was idle is believed to have been ended by its user. A command that a person runs in
 * the shell of a coding agent that has ended changes nothing about how that one ended.
 */
function endedCleanly({ last, shown, clean }: Life, crashed: boolean, agent: boolean): boolean {
  if (crashed) return false;
  if (last === undefined) return shown || (clean ?? true);
  if (last === "idle") return true;
  return agent && !shown ? (clean ?? false) : false;
}
