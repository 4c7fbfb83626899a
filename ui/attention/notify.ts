import { type LiveRoll, roll } from "../api/live.ts";
import type { State } from "../api/shapes.ts";
import { Observable } from "../kit/observable.ts";
import { address } from "../kit/place.ts";
import { go } from "../kit/router.tsx";

const KEY = "rollcall-notify";
/** What a person is called for. */
const CALLS: Partial<Record<State, string>> = {
  waiting: "waits for you",
  dead: "is dead",
  stalled: "is stalled",
  failing: "is failing",
};
/** A fleet that falls together is one notification. */
const TOGETHER = 3;

/** Browsers give notifications to pages of this machine or over TLS only. */
export const canNotify = "Notification" in globalThis && isSecureContext;

/** Whether this browser shows notifications: it was asked for here, and the browser permits it. */
export const notifies = new Observable(canNotify && stored() && Notification.permission === "granted");

/** Asks the browser for leave, or stops. Says what came of it. */
export async function toggleNotify(): Promise<string> {
  if (notifies.value) {
    keep(false);
    return "This browser shows no more notifications.";
  }
  const leave = await Notification.requestPermission();
  keep(leave === "granted");
  return leave === "granted"
    ? "This browser notifies you when an agent waits for you, dies, stalls or fails, while this page is open."
    : "The browser does not permit notifications; its settings for this site say so.";
}

function keep(is: boolean): void {
  try {
    if (is) localStorage.setItem(KEY, "on");
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  notifies.set(is);
}

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

/** Tells of every agent that comes into trouble while nobody looks at the page. */
export function notifyOfTrouble(): void {
  let before = roll.value;
  roll.watch((after) => {
    const fallen = before.watcher === undefined ? [] : fallenIn(before, after);
    before = after;
    if (!notifies.value || document.visibilityState === "visible") return;
    if (fallen.length > TOGETHER) {
      const names = fallen.map(({ id }) => id).join(", ");
      show(`${fallen.length} agents need you`, names, "/", "rollcall");
    } else
      for (const { id, state, why } of fallen) show(`${id} ${CALLS[state]}`, why, address("agents", id), id);
  });
}

function fallenIn(before: LiveRoll, after: LiveRoll) {
  return [...after.agents.values()].flatMap(({ agent }) => {
    const was = before.agents.get(agent.id)?.agent.state;
    return CALLS[agent.state] === undefined || was === agent.state ? [] : [agent];
  });
}

function show(title: string, body: string, to: string, tag: string): void {
  // The tabs of a browser all tell: notifications with one tag are one.
  const notification = new Notification(title, { body, tag });
  notification.onclick = () => {
    focus();
    go(to);
    notification.close();
  };
}
