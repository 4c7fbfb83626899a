import { given } from "../given.ts";
import { menuOver, popupIn } from "./columns.ts";
import { decide, type ScreenDecision, signOf } from "./decide.ts";
import { focusAfter, hashOf, wireAfter } from "./evidence.ts";
import { lifeAfter } from "./life.ts";
import { factsOf, type Hit, type MatchedFacts, recognise, restless } from "./match.ts";
import { askedBy, type LaidOut } from "./menu.ts";
import { advance, type SaidOnScreen } from "./progress.ts";
import type { ScreenReading } from "./reading.ts";
import { lastSaid, type Regions, regionsOf } from "./regions.ts";
import { resetAt } from "./reset.ts";
import type { Packs, Says } from "./rule.ts";
import type { Frame, Screen } from "./screen.ts";
import { freshState, type ReaderState } from "./state.ts";
import { isTypedAt, restOf } from "./typed.ts";

export type ReadOptions = {
  /** Zone of times of day that name none; the agent's host's. */
  zone: string;
  /** Nothing new for this long is spinning or looping, in milliseconds. */
  newsWithin?: number;
};

/** Measured: busy clients pause for up to 1.3 s, once for 3.75 s. */
const pause = 1500;
/** A model that thinks without a word looks like one that hangs; only the learnt limit of the agent decides whether it is stalled. */
const defaultNewsWithin = 9000;

/**
 * Reads one frame. The state is all that is remembered, so that reading can go on after a restart; frames may
 * come four times a second or once in ten. An unchanged screen costs no matching.
 */
export function read(
  before: ReaderState | undefined,
  frame: Frame,
  packs: Packs,
  options: ReadOptions,
): { state: ReaderState; reading: ScreenReading } {
  const known = before ?? freshState(frame.t);
  const began = beganAt(known, frame);
  const previous = { ...known, began };
  const isNew = frame.bytes > 0 || before === undefined || began !== known.began;
  const looked = isNew ? look(previous, frame, packs) : previous;
  const limits = { newsWithin: options.newsWithin ?? defaultNewsWithin, pause };
  const worn = wornOf(looked, frame.t);
  const decision = decide({ ...looked, worn }, frame, limits);
  const { busySince: _, reset: __, held: ___, wire: ____, ...rest } = looked;
  const held = heldOf(previous, decision, frame.t);
  const reset = resetOf(previous, decision, frame.t, options.zone);
  const wire = wireAfter(looked.wire, frame, decision, looked.progress.novelAt);
  const state: ReaderState = {
    ...rest,
    t: frame.t,
    prompt: promptOf(previous, decision, frame),
    ...given({
      rested: looked.rested ?? (decision.state === "idle" ? restOf(frame.screen) : undefined),
    }),
    ...(isCleared(looked, decision, frame.t) && { clears: true as const }),
    worn: decision.state === "idle" ? withGivenUp(worn, previous) : worn,
    ...(decision.context === "tool" ? { toolAt: frame.t } : { toolEndedAt: looked.toolAt }),
    ...(decision.busy ? { busySince: looked.busySince ?? frame.t } : { restedAt: frame.t }),
    ...(wire === undefined ? {} : { wire }),
    ...(reset === undefined ? {} : { reset }),
    ...(held === undefined ? {} : { held }),
    life: lifeAfter(looked.life, {
      state: decision.state,
      rule: decision.rule,
      crashed: decision.hit?.says === "crash",
      front: frame.machine?.front,
      prompt: looked.facts.hits.some(({ says }) => says === "shell"),
      blank: frame.screen.rows.every((row) => row.trim() === ""),
      shows: isInteractive(frame.screen) && showsAgent(looked.facts),
      agent: looked.agent,
      signs: looked.signs,
      brief: frame.t - looked.activeSince < pause,
    }),
  };
  return { state, reading: readingOf(decision, state) };
}

/** The row on which a shell waits, as far as it has written it; before it has, the last row that the program left. */
function promptOf({ prompt }: ReaderState, { state }: ScreenDecision, { screen, machine }: Frame): string {
  if (state !== "exited" || (machine !== undefined && machine.front !== "shell")) return prompt;
  const { x, y } = screen.cursor;
  const rows = [...screen.rows.slice(0, y), (screen.rows[y] ?? "").slice(0, x)];
  return rows.findLast((row) => row.trim() !== "")?.trimEnd() ?? "";
}

/**
 * The row on which a person started the program that is in front now, after another had ended there; empty if there is none.
 * A log does not tell what is in front: there, a cursor that has left the prompt says that a command was entered.
 */
function beganAt({ began, prompt, life }: ReaderState, { screen, machine }: Frame): string {
  if (!life.over) return began;
  if (prompt === "" || (machine !== undefined && machine.front !== "program")) return "";
  const at = screen.rows.findLastIndex((row) => row.startsWith(prompt));
  return machine === undefined && at >= screen.cursor.y ? "" : (screen.rows[at] ?? "");
}

/** What stands above the row on which a program was started is what an earlier one left. */
function below(screen: Screen, began: string): Screen {
  const at = began === "" ? -1 : screen.rows.lastIndexOf(began);
  if (at < 0) return screen;
  return { ...screen, rows: screen.rows.map((row, y) => (y <= at ? "" : row)) };
}

/** Takes in what is new on the screen. */
function look(previous: ReaderState, frame: Frame, packs: Packs): ReaderState {
  const { t } = frame;
  const screen = narrow(below(frame.screen, previous.began));
  const seen = regionsOf(screen);
  const client = recognise(screen, seen, packs.clients, previous.facts.client);
  const isRestless = restless(client, packs);
  const regions = { ...seen, ...lastSaid(seen, isRestless) };
  const facts = withPopup(factsOf(regions, packs, client), screen, packs);
  const saw = (says: Says) => facts.hits.some((hit) => hit.says === says);
  const drawing = drawingAfter(previous, frame);
  const isStill = drawing.same >= (t - previous.t > pause ? 2 : 1);
  const writtenAt = isStill ? previous.writtenAt : drawing.at;
  const focus = focusAfter(previous.focus, screen, regions, {
    isBusy: saw("busy") || saw("tool"),
    isAsked: saw("waiting"),
  });
  const isBoxAlone = regions.isBoxed && focus.around === previous.focus?.around;
  const otherAt = isBoxAlone ? (previous.otherAt ?? 0) : writtenAt;
  // Somebody types at a plain prompt, or into the input box: that is not the program's work. Of a program that does not show
  // when it is busy, what else moves may be the only sign of it.
  const isTyped = isTypedAt(previous.rested, screen);
  const isEcho = isTyped || (isBoxAlone && (previous.signs || writtenAt - otherAt > pause));
  const isAgent =
    previous.agent || (isInteractive(screen) && !saw("shell") && (client !== undefined || saw("agent")));
  // Agents put ever other words beside their spinner; what other programs put there is the step that they are at.
  const isTip = restless(client, packs, true);
  const steps = isAgent ? [] : regions.content.filter((row) => isRestless(row) && !isTip(row));
  const { rested, ...kept } = previous;
  return {
    ...kept,
    ...(isTyped && rested !== undefined && { rested }),
    facts,
    writtenAt,
    drawing,
    otherAt,
    focus,
    activeSince: isEcho ? drawing.at : isStill ? previous.activeSince : activeSince(previous, writtenAt, t),
    signs: !saw("shell") && (previous.signs || saw("busy") || saw("tool")),
    agent: isAgent,
    progress: advance(previous.progress, { ...saidOn(regions, isRestless, frame.scrolled), steps }, t),
  };
}

/** A dialog may be drawn over the rest: then what it asks stands in the middle of the screen. */
function withPopup(facts: MatchedFacts, screen: Screen, packs: Packs): MatchedFacts {
  if (facts.hits.some(({ says }) => says === "waiting" || says === "login")) return facts;
  const menu = menuOver(screen);
  if (menu !== undefined) return { ...facts, hits: [...facts.hits, menuHit(menu)] };
  const asked = askedIn(screen, facts, packs);
  if (asked.length > 0) return { ...facts, hits: [...facts.hits, ...asked] };
  const laidOut = askedBy(screen);
  return laidOut === undefined ? facts : { ...facts, hits: [...facts.hits, layoutHit(laidOut)] };
}

/** What a box asks that stands over the rest. */
function askedIn(screen: Screen, { client }: MatchedFacts, packs: Packs): readonly Hit[] {
  const rows = popupIn(screen);
  if (rows === undefined) return [];
  const inside = regionsOf({ ...screen, rows, cursor: { x: 0, y: rows.length, hidden: true }, focus: null });
  const { hits } = factsOf(inside, packs, client);
  return hits.filter(({ says, notice }) => !notice && (says === "waiting" || says === "login"));
}

/** Known by its looks only, so it is believed only while nothing is busy and nothing is drawn. */
function layoutHit({ kind, row }: LaidOut): Hit {
  return {
    ...{ rule: `reader/laid-out-${kind}`, says: "waiting", kind, in: "tail", notice: true },
    ...{ row, text: row, lively: Number.MAX_SAFE_INTEGER, quiet: pause / 2 },
  };
}

/** It covers the program's own input box, so that nothing else can be typed. */
function menuHit(choices: readonly string[]): Hit {
  const text = choices.join(" ");
  return {
    ...{ rule: "reader/menu-over-box", says: "waiting", kind: "choice", in: "tail", notice: false },
    ...{ row: choices[0] ?? "", text, lively: Number.MAX_SAFE_INTEGER, quiet: pause / 2 },
  };
}

/** No client draws wider rows than this; a pane may have any width. */
const mostColumns = 4000;

function narrow(screen: Screen): Screen {
  if (screen.rows.every((row) => row.length <= mostColumns)) return screen;
  return { ...screen, rows: screen.rows.map((row) => row.slice(0, mostColumns)) };
}

/**
 * Some programs draw their whole screen anew several times a second, whether anything is new or not: bytes after which it looks as
 * it did before are silence. One that only appends is not silent as long as it writes. Between frames that are far apart a spinner
 * may have come round to where it was; not twice.
 */
function drawingAfter(previous: ReaderState, frame: Frame): NonNullable<ReaderState["drawing"]> {
  const { rows, title, code, progress } = frame.screen;
  const face = hashOf([...rows, title, code, String(progress)].join("\n"));
  const isSame = isInteractive(frame.screen) && frame.scrolled === 0 && face === previous.drawing?.face;
  const same = isSame ? (previous.drawing?.same ?? 0) + 1 : 0;
  return { at: frame.writtenAt ?? frame.t, face, same };
}

/** Since when bytes have come without a pause. Between frames that are far apart nobody saw one. */
function activeSince(previous: ReaderState, writtenAt: number, t: number): number {
  if (t - previous.t > pause) return writtenAt - pause;
  return writtenAt - previous.writtenAt <= pause ? previous.activeSince : writtenAt;
}

/** A program that draws for itself, and not just text about one that a shell has printed. */
function isInteractive({ cursor, alternate, paste }: Screen): boolean {
  return cursor.hidden || alternate || paste;
}

/** Signs of a coding agent that stand on this very screen; a client once recognised is remembered longer. */
function showsAgent({ hits, client }: MatchedFacts): boolean {
  if (hits.some(({ says }) => says === "shell")) return false;
  return hits.some(({ says, rule }) => says === "agent" || rule.startsWith(`${client}/`));
}

function saidOn(regions: Regions, isRestless: (row: string) => boolean, scrolled: number): SaidOnScreen {
  const marks = regions.content.map(isRestless);
  // A busy line that stands under the input box has all of the content above it.
  const busy = marks.lastIndexOf(true);
  const end = regions.footer.some(isRestless) ? marks.length : Math.max(0, busy);
  const status = busy < 0 ? regions.footer : [...regions.content.slice(busy + 1), ...regions.footer];
  return {
    content: regions.content.filter((_, y) => marks[y] === false),
    above: marks.slice(0, end).filter((mark) => !mark).length,
    chrome: regions.rows.filter(isRestless),
    status,
    scrolled,
  };
}

/**
 * A busy sign that is still there after a silence is no sign: a banner that explains the keys. It is not believed
 * again before it has left the screen. But if a program takes the sign away when it rests, and the sign came with a new turn,
 * then the program is busy without drawing anything.
 */
function wornOf(state: ReaderState, t: number): readonly string[] {
  const { facts, worn, writtenAt, drawing, clears, progress, restedAt = 0 } = state;
  const drawnAt = drawing?.at ?? writtenAt;
  const isTurn = clears === true && progress.novelAt >= restedAt - pause;
  const isStill = (hit: Hit) => t - drawnAt > hit.lively && !(isTurn && hit.isBelow === true);
  const signs = facts.hits.filter((hit) => worn.includes(signOf(hit)) || isStill(hit));
  return [...new Set(signs.map(signOf))];
}

/** An agent that has settled and rests, without a busy sign below its input box. */
function isCleared({ agent, facts, writtenAt }: ReaderState, { state }: ScreenDecision, t: number): boolean {
  return state === "idle" && agent && t - writtenAt > 2 * pause && !facts.hits.some(({ isBelow }) => isBelow);
}

/** A client that rests after a retry does not retry any more, although the screen still says so. */
function withGivenUp(worn: readonly string[], { held }: ReaderState): readonly string[] {
  return held === undefined ? worn : [...new Set([...worn, signOf(held.hit)])];
}

/** Remembers an announced retry while the screen still shows it, and for as long as the client is then busy. */
function heldOf(previous: ReaderState, { hit, busy }: ScreenDecision, t: number): ReaderState["held"] {
  const before = previous.held;
  if (!busy) return undefined;
  if (hit === undefined || hit === before?.hit) return before;
  return { hit, since: hit.row === before?.hit.row ? before.since : t, t };
}

/** A reset time is counted from the moment at which its text appeared, not from every later look at it. */
function resetOf(
  previous: ReaderState,
  decision: ScreenDecision,
  t: number,
  zone: string,
): ReaderState["reset"] {
  const { hit, state } = decision;
  if (hit === undefined || (state !== "limited" && state !== "retrying")) return undefined;
  if (previous.reset?.row === hit.row) return previous.reset;
  const at = resetAt(hit.text, t, zone);
  return at === undefined ? undefined : { row: hit.row, at };
}

function readingOf(decision: ScreenDecision, state: ReaderState): ScreenReading {
  const { hit, context, rule, kind = hit?.kind } = decision;
  const { novelAt, countedAt } = state.progress;
  // A loop's counters are no progress; a tool that runs is none by itself, but its end is.
  const more = decision.state === "looping" ? 0 : Math.max(countedAt, state.toolEndedAt ?? 0);
  return {
    state: decision.state,
    context,
    rule,
    progressAt: Math.max(novelAt, more, state.busySince ?? 0),
    ...(kind === undefined ? {} : { kind }),
    ...(state.reset === undefined ? {} : { resetAt: state.reset.at }),
    ...(state.facts.client === undefined ? {} : { client: state.facts.client }),
    ...(decision.hungSince === undefined ? {} : { hungSince: decision.hungSince }),
    ...(decision.state === "exited"
      ? { end: { clean: state.life.clean ?? false, crashed: hit?.says === "crash" } }
      : {}),
  };
}
