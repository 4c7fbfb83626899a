// How much room a text takes in a terminal, and how it is cut to fit. Pure, and without colours: paint afterwards.

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Marks that are drawn over the character before them, and invisible ones. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** What the Unicode standard calls wide or fullwidth, as far as terminals follow it. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]$/u;
const EMOJI = /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u;

/** How many columns a text takes. */
export function width(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of clusters.segment(text)) columns += widthOf(segment);
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
  return take([...clusters.segment(text)], columns).join("");
}

function tail(text: string, columns: number): string {
  return take([...clusters.segment(text)].reverse(), columns)
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
