import type { ComponentChildren } from "preact";
import { Observable, useValue } from "./observable.ts";
import { type Place, placeOf } from "./place.ts";

const here = new Observable<Place>(placeOf(location.pathname, location.search));

addEventListener("popstate", () => here.set(placeOf(location.pathname, location.search)));

export function usePlace(): Place {
  return useValue(here);
}

/** Goes to an address of ours; `replace` where going back should not stop at every keystroke. */
export function go(address: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  const before = here.value.path;
  here.set(placeOf(location.pathname, location.search));
  if (here.value.path !== before) scrollTo(0, 0);
}

/** A link that stays in the page, and is an ordinary link for everything but a plain click. */
export function Link(props: {
  to: string;
  children: ComponentChildren;
  class?: string;
  label?: string;
  title?: string;
  current?: boolean;
  index?: number;
}) {
  return (
    <a
      href={props.to}
      class={props.class}
      title={props.title}
      aria-label={props.label}
      aria-current={props.current ? "page" : undefined}
      data-index={props.index}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(props.to);
      }}
    >
      {props.children}
    </a>
  );
}
