import { useEffect, useRef, useState } from "preact/hooks";

let skew = 0;

/** Now by the watcher's clock: a laptop whose own clock is off still shows right ages. */
export function now(): number {
  return Date.now() + skew;
}

/** Learns how far the watcher's clock is from ours, from the date of an answer. It has whole seconds only. */
export function learnSkew(date: string | null): void {
  const theirs = date === null ? Number.NaN : Date.parse(date) + 500;
  if (Number.isNaN(theirs)) return;
  const off = theirs - Date.now();
  skew = Math.abs(off) < 2500 ? 0 : off;
}

const tellers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** What `say` says, said again as time passes; the component is drawn again only where the words change. */
export function useTicking(say: () => string): string {
  const newest = useRef(say);
  newest.current = say;
  const [, redraw] = useState(say);
  useEffect(() => {
    const tell = () => redraw(newest.current());
    tellers.add(tell);
    timer ??= setInterval(() => {
      if (document.visibilityState === "visible") for (const each of tellers) each();
    }, 1000);
    return () => {
      tellers.delete(tell);
      if (tellers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return say();
}
