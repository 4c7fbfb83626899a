import { HOUR, type Instant, MINUTE, type Millis, SECOND } from "../duration.ts";
import type { State } from "../liveness/state.ts";

/** Which channels get messages about which states, after how long, and how often again. */
export interface Policy {
  /** The first route that matches decides; without a match no message is sent. */
  readonly routes: readonly Route[];
  /** Verdicts from silence wait so long for a common cause to show itself. */
  readonly hold: Millis;
  /** Messages that are queued for one place within this time go out as one. */
  readonly group: Millis;
  /** How often a reminder is sent about an incident that is not acknowledged. */
  readonly remindEvery: Millis;
  /** The places that get a message if the incident is not acknowledged in time. */
  readonly escalate?: { readonly after: Millis; readonly to: readonly string[] };
  /** Where people open the page, for the links in messages. */
  readonly page?: string;
  /** Recurring maintenance: until when no message about this agent is sent. */
  readonly maintained?: (agent: string, at: Instant) => Instant | undefined;
  /** The agents without which this one cannot work. While one of them is in trouble, only that is told. */
  readonly needs?: (agent: string) => readonly string[];
  readonly neededBy?: (agent: string) => readonly string[];
  /** What people call an agent, if they call it anything else than its id. */
  readonly nameOf?: (agent: string) => string | undefined;
  /** The step of an agent's ladder that a person can take in this state. */
  readonly stepFor?: (agent: string, state: State) => "nudge" | "restart" | undefined;
  /** Quiet hours: only critical messages are sent; the others wait for the end. */
  readonly quiet?: (at: Instant) => Instant | undefined;
}

export interface Route {
  /** Which agents, as a pattern with `*`. */
  readonly agents: string;
  readonly states: readonly State[];
  /** How long it must last before it is told. */
  readonly after: Millis;
  readonly to: readonly string[];
  /** It disturbs no one: no silence holds it back, and it needs no acknowledgement. */
  readonly undisturbing?: true;
}

/** `limited` passes by itself: it is recorded, but no message is sent unless a route says so. */
export const TOLD_STATES: readonly State[] = ["dead", "stalled", "failing", "waiting"];
export const REMIND_EVERY: Millis = 4 * HOUR;
export const HOLD: Millis = 2 * MINUTE;
export const GROUP: Millis = 30 * SECOND;

/** The default policy: every channel gets a message at once about each agent that needs a person. */
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
  /** Only the agents of this group. */
  readonly group?: string;
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

/** Whether a silence holds messages about an agent back at `now`. */
export function covers(
  { agents, group, from, until }: Pick<Silence, "agents" | "group" | "from" | "until">,
  agent: { readonly id: string; readonly group?: string | undefined },
  now: Instant,
): boolean {
  return (
    from <= now && now < until && matches(agents, agent.id) && (group === undefined || group === agent.group)
  );
}

/** Until when an agent is silenced, or undefined if it is not. */
export function silencedUntil(
  silences: Iterable<Silence>,
  agent: string,
  now: Instant,
  group?: string,
): Instant | undefined {
  let until: Instant | undefined;
  for (const silence of silences)
    if (covers(silence, { id: agent, group }, now)) until = Math.max(until ?? silence.until, silence.until);
  return until;
}
