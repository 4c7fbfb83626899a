// How much room a text takes in a terminal, and how it is cut to fit. Pure, and without colours: paint afterwards.

let segmenter: Intl.Segmenter | undefined;

/** Made when it is first needed: that takes longer than most commands, and most text is ASCII. */
function clustersIn(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Marks that are drawn over the character before them, and invisible ones. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** What the Unicode standard calls wide or fullwidth, as far as terminals follow it. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]$/u;
const EMOJI = /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u;

/** Characters that take one column each and join no other one: ASCII, Latin letters, dashes, dots, boxes and blocks. */
const SIMPLE = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u25cf]*$/;

/** How many columns a text takes. */
export function width(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of clustersIn(text)) columns += widthOf(segment);
  return columns;
}

/** A cluster is what a reader takes for one character: a letter with its accents, an emoji of several parts. */
function widthOf(cluster: string): number {
  if (EMOJI.test(cluster)) return 2;
  let columns = 0;
  for (const character of cluster) columns += NOTHING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** The text, or its beginning with an ellipsis, in at most so many columns. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  return columns < 1 ? "" : `${head(text, columns - 1)}…`;
}

/** The same, but the end stays too: names of a fleet often differ there. */
export function cutMiddle(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  if (columns < 1) return "";
  const start = head(text, Math.ceil((columns - 1) / 2));
  return `${start}…${tail(text, columns - 1 - width(start))}`;
}

function head(text: string, columns: number): string {
  if (SIMPLE.test(text)) return text.slice(0, columns);
  return take([...clustersIn(text)], columns).join("");
}

function tail(text: string, columns: number): string {
  if (SIMPLE.test(text)) return text.slice(text.length - Math.min(columns, text.length));
  return take([...clustersIn(text)].reverse(), columns)
    .reverse()
    .join("");
}

function take(segments: readonly Intl.SegmentData[], columns: number): string[] {
  const taken: string[] = [];
  let left = columns;
  for (const { segment } of segments) {
    left -= widthOf(segment);
    if (left < 0) break;
    taken.push(segment);
  }
  return taken;
}

/** What a column of a table may lose when the terminal is narrow. */
export interface Fitting {
  /** It may be cut down to so many columns. */
  readonly least?: number | undefined;
  /** It may be left out, and is before columns with a lower number. */
  readonly drop?: number | undefined;
}

/** The space between two columns of a table. */
export const GAP = 2;

/**
 * How wide each column of a table becomes so that a row takes at most `total`: columns are left out (0) while not even
 * the least widths of all fit, then the space that is left is given out from the left, up to what each one wants.
 */
export function fitColumns(
  wanted: readonly number[],
  fittings: readonly Fitting[],
  total: number,
): readonly number[] {
  const least = wanted.map((width, i) => Math.min(width, fittings[i]?.least ?? width));
  let shown = wanted.map((_, i) => i);
  const needed = () => shown.reduce((sum, i) => sum + (least[i] ?? 0), GAP * (shown.length - 1));
  const order = shown
    .filter((i) => fittings[i]?.drop !== undefined)
    .sort((a, b) => (fittings[b]?.drop ?? 0) - (fittings[a]?.drop ?? 0));
  for (const dropped of order) {
    if (needed() <= total) break;
    shown = shown.filter((i) => i !== dropped);
  }
  let spare = Math.max(0, total - needed());
  return wanted.map((width, i) => {
    if (!shown.includes(i)) return 0;
    const given = Math.min(width, (least[i] ?? 0) + spare);
    spare -= given - (least[i] ?? 0);
    return given;
  });
}
