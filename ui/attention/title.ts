import { countStates } from "../../src/core/liveness/state.ts";
import { link, roll } from "../api/live.ts";
import type { State } from "../api/shapes.ts";
import { Observable } from "../kit/observable.ts";
import { STATES } from "../words/states.ts";

/** What the page calls itself; trouble is put before it. */
export const pageName = new Observable("Rollcall");

/** Those for whom a person has to do something; a limit ends by itself. */
const URGENT: readonly State[] = ["dead", "stalled", "failing", "waiting"];

/** Counts those in trouble in the title, and colours the icon of the tab: it is seen while another tab is in front. */
export function showInTitle(): void {
  let shown = "";
  const show = () => {
    const { agents, counts } = roll.value;
    const known = counts ?? countStates([...agents.values()].map(({ agent }) => agent));
    const urgent = URGENT.filter((state) => (known[state] ?? 0) > 0);
    const count = urgent.reduce((sum, state) => sum + (known[state] ?? 0), 0);
    const isCut = link.value.is === "down";
    document.title = `${isCut ? "(?) " : count > 0 ? `(${count}) ` : ""}${pageName.value}`;
    const worst = isCut ? "unknown" : (STATES.find((state) => urgent.includes(state)) ?? "alive");
    if (worst === shown) return;
    shown = worst;
    document.querySelector("link[rel=icon]")?.setAttribute("href", iconOf(worst));
  };
  for (const each of [roll, link, pageName] as const) (each as Observable<unknown>).watch(show);
  show();
}

const COLOURS: Partial<Record<State, string>> = {
  dead: "#d23c31",
  stalled: "#e0702f",
  failing: "#c94389",
  waiting: "#8260d6",
  unknown: "#8a939f",
};

/** The icon of `icon.svg`, with a dot for trouble. */
function iconOf(state: State): string {
  const dot = COLOURS[state];
  const marks =
    '<rect width="32" height="32" rx="7" fill="#1f2a37"/><path d="M8 10h6M8 16h6M8 22h6" stroke="#8aa0b8" stroke-width="2.4" stroke-linecap="round"/><path d="m18 15.6 1.8 1.8 3.6-3.4m-5.4 8 1.8 1.8 3.6-3.4" fill="none" stroke="#5fd08a" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/>';
  const trouble =
    dot === undefined ? "" : `<circle cx="24" cy="9" r="7" fill="${dot}" stroke="#fff" stroke-width="2"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${marks}${trouble}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
