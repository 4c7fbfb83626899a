// What the text focus and the machine tell besides the words on a screen. A fact that is missing tells nothing.

import type { Machine } from "./machine.ts";
import type { Hit } from "./match.ts";
import type { Regions } from "./regions.ts";
import type { Region } from "./rule.ts";
import type { Frame, Screen } from "./screen.ts";
import type { FocusMemory, ReaderState, WireMemory } from "./state.ts";

const most = 50;

export function focusAfter(
  before: FocusMemory | undefined,
  { focus }: Screen,
  { isBoxed, around }: Regions,
  { isBusy, isAsked }: { readonly isBusy: boolean; readonly isAsked: boolean },
): FocusMemory {
  const now = focus === undefined ? "unknown" : focus === null ? "none" : isBoxed ? "box" : "other";
  const { kept = 0, lost = 0, isTaken = false } = before ?? {};
  return {
    now,
    kept: Math.min(most, kept + (isBusy && now === "box" ? 1 : 0)),
    lost: Math.min(most, lost + (isBusy && now === "none" ? 1 : 0)),
    isTaken: isTaken || (isAsked && now === "none"),
    around: hashOf(around),
  };
}

/** Looks at a busy program before it is known whether it keeps its focus. */
const learnt = 4;
/** A dialog is drawn in several steps. */
const settled = 1000;

/**
 * The program keeps its input box in focus while it works, as it has shown; now nothing has the focus, and nothing is drawn: it
 * shows a dialog, of whatever make.
 */
export function hasLostFocus({ focus, writtenAt, agent }: ReaderState, { t }: Frame): boolean {
  if (focus === undefined || focus.now !== "none" || !agent) return false;
  return focus.kept >= learnt && focus.lost * 10 <= focus.kept && t - writtenAt >= settled;
}

/** Rules that look at what is typed, or at what the program announces, know better than the focus. */
const known: readonly Region[] = ["cursor", "prompt", "title", "code"];
/** What the program announces. */
const announced: readonly Region[] = ["title", "code"];

/** Which of the rules' matches the evidence contradicts. */
export function vetoes(focus: FocusMemory | undefined, { machine }: Frame): (hit: Hit) => boolean {
  // Some clients leave the focus where it is: only of one whose dialogs take it away it is known that this is none.
  const isTyped = focus?.now === "box" && focus.isTaken;
  const isUnread = machine?.terminal?.canonical === true && machine.terminal.isRead === false;
  return ({ says, notice, in: region }) => {
    if (says !== "waiting" || notice) return false;
    // A question that was answered still stands there while the program works on.
    if (isUnread && !announced.includes(region)) return true;
    return isTyped && !known.includes(region);
  };
}

/** A program that takes whole lines waits for one. */
export function isRead(machine: Machine | undefined): boolean {
  const { front, terminal } = machine ?? {};
  return front === "program" && terminal?.canonical === true && terminal.isRead === true;
}

/** The kernel dates processes to a hundredth of a second, a busy machine looks at them later. */
const early = 2000;
/** Helpers that only keep the machine awake run for as long as the turn does. */
const awake = /^(?:systemd-inhibit|caffeinate)/;

/** Programs also start helpers again and again, such as the `sleep` of a spinner. A tool whose silence counts runs for longer. */
const helper = 4500;

/** A process that was not there when the turn began: a tool runs, and the silence is the tool's. */
export function startedTool({ machine, t }: Frame, restedAt: number | undefined): boolean {
  if (restedAt === undefined) return false;
  const isTool = (since: number) => since > restedAt - early && t - since > helper;
  return (machine?.children ?? []).some(({ name, since }) => isTool(since) && !awake.test(name));
}

/** Bytes came in lately: a model that streams, or thinks and keeps the connection alive. */
export function isFed({ machine, t }: Frame, within: number): boolean {
  const { receivedAt } = machine?.wire ?? {};
  return receivedAt !== undefined && t - receivedAt < within;
}

const recent = 10_000;
/** Screens and connections are dated by different clocks, to about this. */
const noise = 400;
/** Two requests are further apart than that. */
const apart = 1500;

export function wireAfter(
  before: WireMemory | undefined,
  { machine, t }: Frame,
  { busy, context }: { readonly busy: boolean; readonly context: string },
  novelAt: number,
): WireMemory | undefined {
  const { receivedAt = before?.receivedAt, sentAt } = machine?.wire ?? {};
  if (!busy) return before && { ...before, attempts: 0 };
  if (receivedAt === undefined) return before;
  const { fed = 0, pause = 0, receivedAt: last = receivedAt, sentAt: asked = 0, attempts = 0 } = before ?? {};
  const isNew = sentAt !== undefined && sentAt > asked + apart;
  // From the request on, or within its answer: between two requests it is the client that pauses.
  const gap = context === "tool" || sentAt === undefined ? 0 : receivedAt - Math.max(last, sentAt);
  const isNews = novelAt > asked + apart;
  return {
    fed: Math.min(most, fed + (machine?.wire?.receivedAt !== undefined && t - receivedAt < recent ? 1 : 0)),
    pause: Math.max(pause, gap > recent ? gap : 0),
    receivedAt: Math.max(last, receivedAt),
    sentAt: isNew ? sentAt : asked,
    attempts: isNew ? (isNews ? 1 : Math.min(most, attempts + 1)) : attempts,
  };
}

/** The rule that names a client between two attempts, by its connections. */
export const CUT_OFF = "machine/no-request";
/** After an answer a client goes on at once if it was a good one; a connection that nobody uses is kept for some seconds. */
const over = 3000;
const overOpen = 6000;
const pooled = 12_000;
/** A program that talks to many at once tells nothing of its requests to the model. */
const few = 3;
/** An error comes at once. */
const errorWithin = 2000;

/**
 * Its screen says that it is busy, and nothing new was said since its last request. It sent another one in this turn; or no request
 * is under way, because the last one was answered at once, or because it has no connection at all, although it had. It retries,
 * whatever it calls that.
 */
export function isCutOff({ wire, progress, restedAt = 0 }: ReaderState, { machine, t }: Frame): boolean {
  if (wire === undefined || machine?.wire === undefined) return false;
  const { open, receivedAt = wire.receivedAt, sentAt = wire.sentAt } = machine.wire;
  const last = Math.max(sentAt, receivedAt);
  // It said something, or rested, since: what it is busy with now is not that request.
  if (progress.novelAt > last + noise || restedAt > last) return false;
  const isAtOnce = receivedAt - sentAt < errorWithin;
  if (wire.attempts >= 3 && isAtOnce && open <= few) return true;
  const quiet = t - receivedAt;
  if (open === 0) return wire.fed > 0 && quiet > over;
  // Over this connection nothing came yet: a request is under way.
  if (machine.wire.receivedAt === undefined) return false;
  return receivedAt >= sentAt && isAtOnce && quiet > overOpen && quiet < pooled;
}

/** It has no connection, although it had: whatever it does, it does not wait for a model. */
export function asksNobody({ wire }: ReaderState, { machine }: Frame): boolean {
  return machine?.wire?.open === 0 && wire !== undefined && wire.fed > 0;
}

/** A hang is believed after this silence on the wire, or three times the longest pause that was none. */
const hangAfter = 40_000;
/** Some servers begin to answer only when the model has something to say. */
const unansweredAfter = 55_000;
const fedOften = 4;

/**
 * Since when nothing has come over connections that have always carried something, in the middle of an answer or since a request that
 * got none; undefined if that cannot be told.
 */
export function hungSince({ wire }: ReaderState, { machine, t }: Frame): number | undefined {
  const { open = 0, receivedAt, sentAt = 0 } = machine?.wire ?? {};
  if (wire === undefined || open === 0 || wire.fed < fedOften) return undefined;
  const isAnswered = receivedAt !== undefined && receivedAt >= sentAt;
  const since = isAnswered ? receivedAt : sentAt;
  if (since === 0) return undefined;
  return t - since >= Math.max(isAnswered ? hangAfter : unansweredAfter, 3 * wire.pause) ? since : undefined;
}

/** A number for a text. */
export function hashOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}
