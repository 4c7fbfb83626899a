import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

interface Window {
  readonly from: number;
  readonly to: number;
}

/** So many rows are simply all there: a browser's own search and a screen reader then find everything. */
const ALL_UP_TO = 120;
const BEYOND = 12;

/** Where the lines of a list lie: rows of one height, and among them headings of another, whose places are known. */
export interface Heights {
  readonly count: number;
  readonly row: number;
  readonly heading?: number;
  readonly headings?: readonly number[];
}

/** How far below the top of the list a line begins. */
export function topOf(line: number, { row, heading = row, headings = [] }: Heights): number {
  const before = headings.findIndex((place) => place >= line);
  return line * row + (before < 0 ? headings.length : before) * (heading - row);
}

/** The first line that begins at or below a height. */
function lineAt(top: number, heights: Heights): number {
  let [low, high] = [0, heights.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (topOf(middle, heights) < top) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Which lines to draw, of a list whose top lies `above` pixels over the top of the view. */
export function windowOf(heights: Heights, above: number, view: number): Window {
  const { count } = heights;
  if (count <= ALL_UP_TO) return { from: 0, to: count };
  // The line that is cut by the edge is in view, too.
  const from = Math.max(0, lineAt(above + 1, heights) - 1 - BEYOND);
  const to = Math.min(count, lineAt(above + view, heights) + BEYOND);
  return { from: Math.min(from, count), to: Math.max(to, Math.min(count, BEYOND)) };
}

/** Follows the scrolling of the page and says which lines of a long list to draw, and how much room the others take. */
export function useWindow(
  list: RefObject<HTMLElement | null>,
  count: number,
  headings: readonly number[],
): Window & { readonly above: number; readonly below: number } {
  const [{ row, heading }, setHeights] = useState({ row: 36, heading: 36 });
  const [view, setView] = useState({ above: 0, height: innerHeight });

  // The height of a row is the style sheet's to decide; it is another on a phone.
  useLayoutEffect(() => {
    const heightOf = (what: string, known: number) =>
      list.current?.querySelector<HTMLElement>(what)?.offsetHeight || known;
    const seen = { row: heightOf("[data-row]", row), heading: heightOf("[data-heading]", heading) };
    if (seen.row !== row || seen.heading !== heading) setHeights(seen);
  });

  useEffect(() => {
    let asked = 0;
    const look = () => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(() => {
        const top = list.current?.getBoundingClientRect().top ?? 0;
        // In steps of some rows, so that most scrolling draws nothing.
        const above = Math.floor(Math.max(0, -top) / 180) * 180;
        setView((before) =>
          before.above === above && before.height === innerHeight ? before : { above, height: innerHeight },
        );
      });
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look, { passive: true });
    return () => {
      cancelAnimationFrame(asked);
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [list]);

  const heights = { count, row, heading, headings };
  const shown = windowOf(heights, view.above, view.height + 180);
  const below = topOf(count, heights) - topOf(shown.to, heights);
  return { ...shown, above: topOf(shown.from, heights), below };
}
