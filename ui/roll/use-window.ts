import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

interface Window {
  readonly from: number;
  readonly to: number;
}

/** So many rows are simply all there: a browser's own search and a screen reader then find everything. */
const ALL_UP_TO = 120;
const BEYOND = 12;

/** Which of `count` rows to draw, for a list whose top lies `above` pixels over the top of the view. */
export function windowOf(count: number, row: number, above: number, view: number): Window {
  if (count <= ALL_UP_TO) return { from: 0, to: count };
  const from = Math.max(0, Math.floor(above / row) - BEYOND);
  const to = Math.min(count, Math.ceil((above + view) / row) + BEYOND);
  return { from: Math.min(from, count), to: Math.max(to, Math.min(count, BEYOND)) };
}

/** Follows the scrolling of the page and says which rows of a long list to draw, and how high one is. */
export function useWindow(list: RefObject<HTMLElement | null>, count: number): Window & { row: number } {
  const [row, setRow] = useState(36);
  const [view, setView] = useState({ above: 0, height: innerHeight });

  // The height of a row is the style sheet's to decide; it is another on a phone.
  useLayoutEffect(() => {
    const height = list.current?.querySelector<HTMLElement>("[data-row]")?.offsetHeight ?? 0;
    if (height > 0 && height !== row) setRow(height);
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

  return { ...windowOf(count, row, view.above, view.height + 180), row };
}
