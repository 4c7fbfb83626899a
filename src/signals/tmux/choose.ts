import type { Pane } from "../../system/tmux-pane.ts";
import type { TmuxSettings } from "./settings.ts";

/** Which pane was followed, and the newest that was there then. */
export interface Followed {
  readonly sitting: string;
  readonly id: string;
  readonly newest: number;
}

/** The arguments of `list-panes` for what can hold the pane. A `=` asks for this very name, not for a prefix. */
export function scopeOf({ session, target = "" }: TmuxSettings): readonly string[] {
  const name = sessionOf({ session, target });
  return name === undefined ? ["-a"] : ["-s", "-t", `=${name}:`];
}

/** The agent's pane among all panes of its server. */
export function paneOf(panes: readonly Pane[], settings: TmuxSettings): Pane | undefined {
  const name = sessionOf(settings);
  return choosePane(name === undefined ? panes : panes.filter(({ session }) => session === name), settings);
}

function sessionOf({ session, target = "" }: TmuxSettings): string | undefined {
  const name = session ?? (target.startsWith("%") ? undefined : target.slice(0, target.indexOf(":")));
  return name === undefined ? undefined : nameInTmux(name);
}

/** tmux itself replaces these in the names of sessions. */
function nameInTmux(name: string): string {
  return name.replaceAll(/[.:]/g, "_");
}

/**
 * The agent's pane. A target names it. Of a session it is the one that we followed so far, and at first the oldest,
 * with which the session was made: an operator's split beside it is not the agent. When the followed pane is gone,
 * only one that was made afterwards can be its successor.
 */
export function choosePane(
  panes: readonly Pane[],
  settings: TmuxSettings,
  followed?: Followed,
): Pane | undefined {
  const { target } = settings;
  if (target?.startsWith("%")) return panes.find(({ id }) => id === target);
  if (target !== undefined) return panes.find(isAt(target.slice(target.indexOf(":") + 1)));
  const oldestFirst = panes.toSorted((a, b) => numberOf(a) - numberOf(b));
  if (followed === undefined || panes[0]?.sitting !== followed.sitting) return oldestFirst[0];
  const same = panes.find(({ id }) => id === followed.id);
  return same ?? oldestFirst.find((pane) => numberOf(pane) > followed.newest);
}

export function newestOf(panes: readonly Pane[]): number {
  return Math.max(...panes.map(numberOf));
}

function numberOf({ id }: Pane): number {
  return Number(id.slice(1));
}

/** `window.pane` or only the window, whose active pane then is meant; a window by its index or its name. */
function isAt(place: string): (pane: Pane) => boolean {
  const inWindow = (pane: Pane, window: string) =>
    String(pane.window.index) === window || pane.window.name === window;
  const dot = place.lastIndexOf(".");
  const [window, index] = dot === -1 ? [place, ""] : [place.slice(0, dot), place.slice(dot + 1)];
  return (pane) => {
    if (/^[0-9]+$/.test(index)) return inWindow(pane, window) && String(pane.index) === index;
    return inWindow(pane, place) && pane.isActiveInWindow;
  };
}
