import {
  asksNobody,
  CUT_OFF,
  hasLostFocus,
  hungSince,
  isCutOff,
  isFed,
  isRead,
  startedTool,
  vetoes,
} from "./evidence.ts";
import type { Hit } from "./match.ts";
import { said } from "./normalise.ts";
import { repeats } from "./progress.ts";
import type { ReadingState, ScreenContext } from "./reading.ts";
import { nothingBelow } from "./regions.ts";
import type { Says } from "./rule.ts";
import type { Frame } from "./screen.ts";
import type { ReaderState } from "./state.ts";
import { isAppended, isTypedAt } from "./typed.ts";

/** What was decided, by which rule; the reader adds the times. */
export type ScreenDecision = {
  state: ReadingState;
  rule: string;
  busy: boolean;
  context: ScreenContext;
  hit?: Hit;
  /** What it waits for, where no rule's match says so. */
  kind?: string;
  hungSince?: number;
};

/** Only the machine says that the shell is back: between two programs of a loop it is in front for a moment. */
export const SHELL_IN_FRONT = "reader/shell-in-front";

type Limits = {
  /** Nothing new for this long is spinning or looping, in milliseconds. */
  newsWithin: number;
  /** A busy program is hardly ever silent for longer than this, in milliseconds. */
  pause: number;
};

/**
 * The order in which evidence counts. A shell's prompt ends everything, and so does a shell that holds the terminal's
 * foreground after a program did, whatever the screen says; a dialog is believed even while
 * something turns; being busy beats a prompt, because the input box stays; what is left when nothing is busy is
 * a notice, an idle prompt, or a plain program that runs without a word.
 */
export function decide(state: ReaderState, frame: Frame, limits: Limits): ScreenDecision {
  const silence = frame.t - state.writtenAt;
  const veto = vetoes(state.focus, frame);
  const hits = state.facts.hits.filter(
    (one) => silence >= one.quiet && !state.worn.includes(signOf(one)) && !veto(one),
  );
  return (
    ended(state, frame, hits) ??
    held(state, hits) ??
    working(state, frame, limits, hits) ??
    resting(state, frame, hits) ??
    wordless(state, frame, limits)
  );
}

type Hits = readonly Hit[];

function hitIn(hits: Hits, says: Says, notice = false): Hit | undefined {
  return hits.find((one) => one.says === says && one.notice === notice);
}

/** The shell has the terminal, or its prompt is there. */
function ended(state: ReaderState, frame: Frame, hits: Hits): ScreenDecision | undefined {
  const front = frame.machine?.front;
  if (front === "suspended") return suspended(state);
  // Before a program was seen in front, a shell in front tells nothing: it may have no job control.
  const isBack = front === "shell" && state.life.ran;
  const shell = front === "background" ? undefined : hitIn(hits, "shell");
  if (shell === undefined && !isBack) return undefined;
  const crash = hitIn(hits, "crash");
  if (crash !== undefined) return by(crash, "exited");
  if (shell !== undefined) return by(shell, state.agent || isBack ? "exited" : "idle");
  return { state: "exited", rule: SHELL_IN_FRONT, busy: false, context: "unknown" };
}

/** A limit, a dialog or a retry holds it up, whatever turns beside it. */
function held(state: ReaderState, hits: Hits): ScreenDecision | undefined {
  // A limit that offers a choice is a limit first.
  const limit = hitIn(hits, "limited");
  if (limit !== undefined && !isPast(state, limit)) return holding(limit);
  const dialog = hits.find((one) => (one.says === "waiting" || one.says === "login") && !one.notice);
  if (dialog !== undefined) return by(dialog, dialog.says === "login" ? "login" : "waiting");
  const retry = hitIn(hits, "retrying");
  return retry === undefined || isPast(state, retry) ? undefined : holding(retry);
}

function working(state: ReaderState, frame: Frame, limits: Limits, hits: Hits): ScreenDecision | undefined {
  const busy = hitIn(hits, "tool") ?? hitIn(hits, "busy");
  // A program that shows when it is busy, or that it is idle, needs less silence to be believed.
  const pause = state.signs || hitIn(hits, "idle") !== undefined ? limits.pause / 3 : limits.pause;
  if (busy === undefined && !isActive(state, frame, pause)) return undefined;
  const work = atWork(state, frame, limits, busy);
  const error = hitIn(hits, "limited", true) ?? hitIn(hits, "retrying", true);
  return error !== undefined && triesAgain(state, frame, work, error) ? holding(error) : work;
}

/** Busy with nothing but the error that it showed last: it tries again without saying so. */
function triesAgain(
  { progress }: ReaderState,
  { t }: Frame,
  { state, context }: ScreenDecision,
  error: Hit,
): boolean {
  if (state === "spinning") return true;
  const saidAt = Math.max(progress.novelAt, progress.countedAt);
  return error.isLast === true && state === "working" && context !== "tool" && t - saidAt >= settling;
}

/** A notice above the prompt, or an idle prompt. */
function resting(state: ReaderState, frame: Frame, hits: Hits): ScreenDecision | undefined {
  for (const says of ["limited", "login", "waiting"] as const) {
    const notice = hitIn(hits, says, true);
    if (notice !== undefined) return by(notice, says);
  }
  const rest = { busy: false, context: "unknown" } as const;
  if (hasLostFocus(state, frame))
    return { state: "waiting", rule: "reader/no-focus", ...rest, kind: "an answer" };
  const idle = hitIn(hits, "idle");
  return idle && by(idle, "idle");
}

/** No rule says anything: a plain program. */
function wordless(state: ReaderState, frame: Frame, limits: Limits): ScreenDecision {
  const waits = { state: "waiting", busy: false, context: "unknown" } as const;
  if (isRead(frame.machine))
    return {
      ...waits,
      rule: "machine/reads",
      kind: frame.machine?.terminal?.echo === false ? "password" : "input",
    };
  const silent = unsaid(frame, state);
  return silent.busy && isLooping(state, frame, limits) ? { ...silent, ...looping } : silent;
}

/** A program that somebody suspended goes on only if somebody says so; one that had nothing to do misses nothing. */
function suspended({ life: { last } }: ReaderState): ScreenDecision {
  const rest = { rule: "reader/suspended", busy: false, context: "unknown" } as const;
  if (last === undefined || last === "idle") return { state: "idle", ...rest };
  return { state: "waiting", ...rest, kind: "fg (it is suspended)" };
}

/** Above what was said since stands a retry that no longer counts down: it is history. */
function isPast({ held, progress }: ReaderState, { row }: Hit): boolean {
  return held !== undefined && held.hit.row === row && progress.novelAt > held.since + settling;
}

/** A rule's match, by which it is known again: the rule and the words that it found. */
export function signOf({ rule, row }: Hit): string {
  return `${rule} ${said(row).slice(0, 40)}`;
}

function by(hit: Hit, state: ReadingState): ScreenDecision {
  return { state, rule: hit.rule, busy: false, context: hit.context ?? "unknown", hit };
}

/** A client that waits for its next attempt is busy: its turn is not over. */
function holding(hit: Hit): ScreenDecision {
  return { ...by(hit, hit.says === "limited" ? "limited" : "retrying"), busy: true };
}

/** A burst shorter than this is an echo or a redrawn screen, in milliseconds. */
const steadyAfter = 750;

/** Bytes have come without a pause for a while: something draws, whatever it calls itself. */
function isActive(state: ReaderState, frame: Frame, pause: number): boolean {
  return frame.t - state.writtenAt < pause && state.writtenAt - state.activeSince >= steadyAfter;
}

const looping = { state: "looping", rule: "reader/looping" } as const;

/**
 * It goes on saying things, but nothing that it had not said before. What came in the seconds after the last news is no loop yet:
 * lines that resemble each other, and then a silence, are work that went on without a word.
 */
function isLooping({ progress, busySince }: ReaderState, { t }: Frame, { newsWithin }: Limits): boolean {
  const since = Math.max(progress.novelAt, busySince ?? t);
  const isRepeated = progress.saidAt - progress.novelAt >= newsWithin;
  return t - since >= newsWithin && isRepeated && t - progress.saidAt < 3 * newsWithin && repeats(progress);
}

/** A tool's own clock ticks every second; two are allowed, in milliseconds. */
const turning = 2500;

/** An error is drawn in several steps; what comes within this time belongs to it, in milliseconds. */
const settling = 2000;

/** Between two announced retries a client looks busy; until it says something new, it is still retrying. */
const attempt = 15_000;

/** Its status bar has counted an error in this turn, and nothing came since: it tries again without a word. */
function isErring({ agent, progress }: ReaderState, since: number): boolean {
  const { erredAt, novelAt, countedAt } = progress;
  return agent && erredAt !== undefined && erredAt >= Math.max(novelAt, countedAt, since);
}

/** It is busy: has it said anything new lately? */
function atWork(state: ReaderState, frame: Frame, limits: Limits, busy: Hit | undefined): ScreenDecision {
  const { progress } = state;
  const since = state.busySince ?? frame.t;
  const quiet = (at: number) => frame.t - Math.max(at, since) >= limits.newsWithin;
  const rule = busy?.rule ?? "reader/active";
  const tool = busy?.says === "tool" || frame.t - progress.turnedAt < turning;
  const context = tool ? "tool" : (busy?.context ?? "unknown");
  const work = (state: ReadingState, why: string): ScreenDecision => ({
    state,
    rule: why,
    busy: true,
    context,
  });
  const held = state.held;
  if (
    held !== undefined &&
    frame.t - held.t < attempt &&
    Math.max(progress.novelAt, progress.countedAt) <= held.t
  ) {
    return holding(held.hit);
  }
  if (isLooping(state, frame, limits)) return { ...looping, busy: true, context };
  if (tool) return work("working", rule);
  const saidAt = Math.max(progress.novelAt, progress.countedAt);
  if (startedTool(frame, state.restedAt)) {
    if (quiet(saidAt)) return { ...work("working", "machine/child"), context: "tool" };
  } else if (busy !== undefined && isCutOff(state, frame)) return work("retrying", CUT_OFF);
  if (isErring(state, since)) return work("retrying", "reader/errors-counted");
  if (!quiet(Math.max(saidAt, state.toolAt))) return work("working", rule);
  if (isFed(frame, limits.newsWithin)) return work("working", "machine/wire");
  if (asksNobody(state, frame)) return { ...work("working", "machine/no-connection"), context: "tool" };
  const hung = hungSince(state, frame);
  return { ...work("spinning", "reader/spinning"), ...(hung !== undefined && { hungSince: hung }) };
}

/** How a line ends on which something is expected of a person; `45%` and `===>` are a program at work. */
const asking = /(?:[?:$#❯»›]|(?<![=-])>|(?<!\d)%)$/;

/** Programs that show a text until somebody closes them, by the names that tmux tells. */
const VIEWERS: Readonly<Partial<Record<string, "pager" | "editor">>> = {
  ...{ less: "pager", more: "pager", most: "pager", man: "pager", bat: "pager", delta: "pager" },
  ...{ vi: "editor", vim: "editor", nvim: "editor", nano: "editor", emacs: "editor", hx: "editor" },
};

/** Silence, and no rule knows the screen: a program that runs, or one that waits in its own way. */
function unsaid({ screen, machine }: Frame, { agent, rested }: ReaderState): ScreenDecision {
  const { cursor, rows, focus } = screen;
  const plain = isAppended(screen) && nothingBelow(screen);
  const line = (rows[cursor.y] ?? "").slice(0, cursor.x).trim();
  // A pager waits on the last row. A program that draws a cursor of its own elsewhere has an input box there.
  const isBoxed = cursor.hidden && focus != null && focus.y !== cursor.y;
  const isFull = !agent && !isBoxed && screen.alternate && !screen.paste && cursor.y === rows.length - 1;
  // A client that starts may clear the screen long before it draws: an empty screen asks nothing.
  const isEmpty = rows.every((row) => row.trim() === "");
  if (isFull && !isEmpty) {
    const kind = VIEWERS[machine?.program ?? ""];
    const waits = { state: "waiting", rule: "reader/full-screen", busy: false, context: "unknown" } as const;
    return kind === undefined ? waits : { ...waits, kind };
  }
  if (isFull || (plain && !asking.test(line) && !isTypedAt(rested, screen))) {
    return { state: "working", rule: "reader/silent-program", busy: true, context: "tool" };
  }
  return { state: "idle", rule: "reader/silent", busy: false, context: "unknown" };
}
