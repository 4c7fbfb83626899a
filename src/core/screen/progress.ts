import { counts, said, tokens } from "./normalise.ts";

/** A line that was said: its text without what moves, how often, how often it stands on the screen now. */
export type Line = { text: string; times: number; shown: number; max: number[]; at: number };

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
};

const maxLines = 96;
const maxLength = 200;

export function noProgress(t: number): Progress {
  return { lines: [], novelAt: t, saidAt: t, countedAt: t, tokens: 0 };
}

/** Takes in one frame's content: which lines are new, which are said again, which counters have moved. */
export function advance(
  before: Progress,
  content: readonly string[],
  chrome: readonly string[],
  scrolled: number,
  t: number,
): Progress {
  const known = new Map(before.lines.map((line) => [line.text, line]));
  const shown = tally(content);
  // On a screen that scrolls, what came in at the bottom hides that the same went out at the top.
  const added = scrolled > 0 ? tally(content.slice(-scrolled)) : undefined;
  let novel = false;
  let moved = scrolled > 0;
  const lines: Line[] = [];
  for (const [text, { count, numbers }] of shown) {
    const line = known.get(text);
    if (line === undefined) {
      if (isBeginning(text, before.lines)) continue;
      novel = true;
      lines.push({ text, times: count, shown: count, max: numbers, at: t });
      continue;
    }
    const grown = numbers.some((value, i) => value > (line.max[i] ?? value));
    novel ||= grown;
    moved ||= count > line.shown;
    lines.push({
      text,
      times: Math.min(line.times + Math.max(0, count - line.shown, added?.get(text)?.count ?? 0), 1000),
      shown: count,
      max: grown ? numbers.map((value, i) => Math.max(value, line.max[i] ?? value)) : line.max,
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
  return {
    lines: lines.sort((a, b) => b.at - a.at).slice(0, maxLines),
    novelAt: novel ? t : before.novelAt,
    saidAt: novel || moved ? t : before.saidAt,
    countedAt: count > before.tokens ? t : before.countedAt,
    tokens: count,
  };
}

/** The same lines stand on the screen again and again, and have been said more often than a table would. */
export function repeats({ lines }: Progress): boolean {
  const visible = lines.filter((line) => line.shown > 0);
  const again = visible.filter((line) => line.shown >= 2 && line.times >= 4);
  const rows = visible.reduce((sum, line) => sum + line.shown, 0);
  return again.reduce((sum, line) => sum + line.shown, 0) >= Math.max(4, rows / 4);
}

function tally(content: readonly string[]): Map<string, { count: number; numbers: number[] }> {
  const shown = new Map<string, { count: number; numbers: number[] }>();
  for (const row of content) {
    const text = said(row).slice(0, maxLength);
    if (text === "") continue;
    const numbers = counts(row);
    const same = shown.get(text);
    if (same === undefined) shown.set(text, { count: 1, numbers });
    else {
      same.count += 1;
      same.numbers = numbers.map((value, i) => Math.max(value, same.numbers[i] ?? value));
    }
  }
  return shown;
}

/** A line that is still being written may be the beginning of one that was said before. */
function isBeginning(text: string, lines: readonly Line[]): boolean {
  return lines.some((line) => line.text.length > text.length && line.text.startsWith(text));
}
