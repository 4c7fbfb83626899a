import { counts, errorsIn, said, tokens } from "./normalise.ts";

/**
 * A line that was said: its text without what moves, how often it was said, how often it stands on the screen now,
 * the highest numbers in it, and a hash of how it last looked.
 */
type Line = {
  text: string;
  times: number;
  shown: number;
  max: readonly number[];
  face: number;
  at: number;
};

/** What was said lately. Bounded: the lines that have not been seen for longest are forgotten. */
export type Progress = {
  lines: readonly Line[];
  /** When a line that was not known, or a count higher than any before, was last seen. */
  novelAt: number;
  /** When the content last changed at all, even to something known. */
  saidAt: number;
  /** When a counter of tokens last moved, and how far it had come. */
  countedAt: number;
  tokens: number;
  /** When a counter of errors in the status bar last rose, and how far it had come; both are missing until there is one. */
  erredAt?: number;
  errors?: number;
  /** When a line above the busy one last turned or ticked: a tool's own spinner or clock. */
  turnedAt: number;
};

/** What a frame shows: what was said, how many rows of it stand above the busy line, that line itself, and the status bar. */
export type SaidOnScreen = {
  content: readonly string[];
  above: number;
  chrome: readonly string[];
  /** Busy lines of which the words tell how far it has come. */
  steps?: readonly string[];
  status?: readonly string[];
  scrolled: number;
};

const maxLines = 96;
const maxLength = 200;

/** Longer than anything is remembered for. */
const long = 3_600_000;

export function noProgress(t: number): Progress {
  return { lines: [], novelAt: t, saidAt: t, countedAt: t, tokens: 0, turnedAt: t - long };
}

/** Takes in one frame's content: which lines are new, which are said again, which counters have moved. */
export function advance(
  before: Progress,
  { content, above, chrome, steps = [], status = [], scrolled }: SaidOnScreen,
  t: number,
): Progress {
  const known = new Map(before.lines.map((line) => [line.text, line]));
  const shown = tally([...content, ...steps], above);
  // On a screen that scrolls, what came in at the bottom hides that the same went out at the top.
  const added = scrolled > 0 ? tally(content.slice(-scrolled), 0) : undefined;
  let novel = false;
  let moved = scrolled > 0;
  let turned = false;
  const lines: Line[] = [];
  for (const [text, { count, numbers, face }] of shown) {
    const line = known.get(text);
    if (line === undefined) {
      // A line that is still being written may be the beginning of one that was said before.
      if (before.lines.some((said) => said.text.length > text.length && said.text.startsWith(text))) continue;
      novel = true;
      lines.push({ text, times: count, shown: count, max: numbers, face, at: t });
      continue;
    }
    const grown = numbers.some((value, i) => value > (line.max[i] ?? value));
    novel ||= grown;
    moved ||= count > line.shown;
    turned ||= face !== 0 && line.face !== 0 && face !== line.face && line.shown === 1;
    lines.push({
      text,
      times: Math.min(line.times + Math.max(0, count - line.shown, added?.get(text)?.count ?? 0), 1000),
      shown: count,
      max: grown ? numbers.map((value, i) => Math.max(value, line.max[i] ?? value)) : line.max,
      face,
      at: t,
    });
  }
  const fresh = lines.filter((line) => !known.has(line.text));
  for (const line of before.lines) {
    // A line that was still being written is replaced by the longer one that it became.
    const grew = line.shown > 0 && fresh.some(({ text }) => text.startsWith(line.text));
    if (!shown.has(line.text) && !grew) lines.push({ ...line, shown: 0 });
  }
  const count = Math.max(0, ...chrome.map(tokens));
  const errors = Math.max(0, ...status.map(errorsIn));
  return {
    ...erring(before, errors, t),
    lines: lines.sort((a, b) => b.at - a.at).slice(0, maxLines),
    novelAt: novel ? t : before.novelAt,
    saidAt: novel || moved ? t : before.saidAt,
    countedAt: count > before.tokens ? t : before.countedAt,
    tokens: count,
    turnedAt: turned ? t : before.turnedAt,
  };
}

/** A status bar that is drawn in another way for a moment counts from where it was. */
function erring({ errors: before = 0, erredAt }: Progress, errors: number, t: number): Partial<Progress> {
  if (errors > before) return { errors, erredAt: t };
  return erredAt === undefined ? {} : { errors: before, erredAt };
}

/** The same lines stand on the screen again and again, and have been said more often than a table would. */
export function repeats({ lines }: Progress): boolean {
  const visible = lines.filter((line) => line.shown > 0);
  const again = visible.filter((line) => line.shown >= 2 && line.times >= 4);
  const rows = visible.reduce((sum, line) => sum + line.shown, 0);
  return again.reduce((sum, line) => sum + line.shown, 0) >= Math.max(4, rows / 4);
}

/** A line that counts what the model says, or says that it thinks, turns while the model hangs; a tool's does neither. */
const models =
  /\btok(?:en)?s?\b|\b(?:thinking|generating|reasoning|pondering|responding|waiting for (?:the )?(?:model|response|server))\b/i;

type Shown = { count: number; numbers: readonly number[]; face: number };

function tally(content: readonly string[], above: number): Map<string, Shown> {
  const shown = new Map<string, Shown>();
  for (const [y, row] of content.entries()) {
    const text = said(row).slice(0, maxLength);
    if (text === "") continue;
    const numbers = counts(row);
    const same = shown.get(text);
    if (same === undefined)
      shown.set(text, { count: 1, numbers, face: y < above && !models.test(row) ? faceOf(row) : 0 });
    else {
      same.count += 1;
      same.face = 0;
      same.numbers = numbers.map((value, i) => Math.max(value, same.numbers[i] ?? value));
    }
  }
  return shown;
}

/** A number for how a row looks, never nought. */
function faceOf(row: string): number {
  let hash = 7;
  for (let i = 0; i < row.length; i += 1) hash = (Math.imul(hash, 31) + row.charCodeAt(i)) | 0;
  return hash === 0 ? 1 : hash;
}
