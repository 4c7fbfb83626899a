import { useEffect, useRef } from "preact/hooks";

type Keys = Readonly<Record<string, () => void>>;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
}

/** Listens for single keys, unless somebody types, holds a modifier or has a dialog open. */
export function useKeys(keys: Keys): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
      const act = newest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** Moves the focus among the links that carry `data-index`, by one; the list scrolls along. */
export function moveFocus(by: 1 | -1): void {
  const focused = document.activeElement?.getAttribute("data-index") ?? null;
  const next = focused === null ? firstShown() : Number(focused) + by;
  const link = document.querySelector<HTMLElement>(`[data-index="${next}"]`);
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
}

function firstShown(): number {
  for (const link of document.querySelectorAll("[data-index]")) {
    if (link.getBoundingClientRect().top >= 96) return Number(link.getAttribute("data-index"));
  }
  return 0;
}
