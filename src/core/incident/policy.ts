import { HOUR, type Instant, MINUTE, type Millis, SECOND } from "../duration.ts";
import type { State } from "../liveness/state.ts";

/** Who is told of which states, after how long, and how often again. */
export interface Policy {
  /** The first route that matches decides; none: nobody is told. */
  readonly routes: readonly Route[];
  /** Verdicts from silence wait so long for a common cause to show itself. */
  readonly hold: Millis;
  /** What is queued for one place within so long goes out as one message. */
  readonly group: Millis;
  /** How often an incident that nobody acknowledged is told again. */
  readonly remindEvery: Millis;
  /** Who is told if nobody acknowledges. */
  readonly escalate?: { readonly after: Millis; readonly to: readonly string[] };
  /** When only what is critical is told; the rest waits for the end of it. */
  readonly quiet?: (at: Instant) => Instant | undefined;
}

export interface Route {
  /** Which agents, as a pattern with `*`. */
  readonly agents: string;
  readonly states: readonly State[];
  /** How long it must last before it is told. */
  readonly after: Millis;
  readonly to: readonly string[];
  /** Nobody is disturbed by it: no silence holds it back, and nobody needs to acknowledge it. */
  readonly undisturbing?: true;
}

/** `limited` passes by itself: it is on record, but nobody is told unless a route says so. */
export const TOLD_STATES: readonly State[] = ["dead", "stalled", "failing", "waiting"];
export const REMIND_EVERY: Millis = 4 * HOUR;
export const HOLD: Millis = 2 * MINUTE;
export const GROUP: Millis = 30 * SECOND;

/** The policy where none is configured: everybody hears of what needs a person, at once. */
export function defaultPolicy(places: readonly string[]): Policy {
  return {
    routes: [{ agents: "*", states: TOLD_STATES, after: 0, to: places }],
    hold: HOLD,
    group: GROUP,
    remindEvery: REMIND_EVERY,
  };
}

/** Deliveries about these agents are withheld until it ends; states are not. */
export interface Silence {
  readonly id: string;
  readonly agents: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly why: string;
  readonly by: string;
}

export function matches(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  const [head = "", ...rest] = pattern.split("*");
  if (!text.startsWith(head)) return false;
  let at = head.length;
  const tail = rest.pop() ?? "";
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
}

/** Until when an agent is silenced, or undefined if it is not. */
export function silencedUntil(silences: Iterable<Silence>, agent: string, now: Instant): Instant | undefined {
  let until: Instant | undefined;
  for (const silence of silences) {
    if (silence.from > now || silence.until <= now || !matches(silence.agents, agent)) continue;
    until = Math.max(until ?? silence.until, silence.until);
  }
  return until;
}
