import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { type Window, windowOf } from "./window.ts";

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
