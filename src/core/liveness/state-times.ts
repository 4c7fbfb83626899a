import type { Instant, Millis } from "../duration.ts";
import { type State, traitsOf } from "./state.ts";
import type { Flip } from "./verdict.ts";

/** A span of time, cut into parts of one width; the last part may be shorter. */
export interface Cuts {
  readonly from: Instant;
  readonly until: Instant;
  readonly width: Millis;
}

/** How long an agent was in each state during one part of a span. */
export type StateTimes = Readonly<Partial<Record<State, Millis>>>;

export function partsOf({ from, until, width }: Cuts): number {
  return Math.max(0, Math.ceil((until - from) / width));
}

/**
 * How long each state lasted in each part, by the flips within the span, oldest first. Before its first flip an agent was
 * what that flip comes from; one that was new then counts from there.
 */
export function timesOf(flips: Iterable<Pick<Flip, "at" | "from" | "to">>, cuts: Cuts): StateTimes[] {
  const parts = emptyParts(cuts);
  let since = cuts.from;
  let state: State | undefined;
  for (const { at, from, to } of flips) {
    const before = state ?? (from === "new" ? undefined : from);
    if (before !== undefined) spread(parts, cuts, before, since, at);
    [since, state] = [Math.max(since, at), to];
  }
  if (state !== undefined) spread(parts, cuts, state, since, cuts.until);
  return parts;
}

/** The same for an agent that did not flip: it has been in one state since some moment. */
export function timesOfOne(state: State, since: Instant, cuts: Cuts): StateTimes[] {
  const parts = emptyParts(cuts);
  spread(parts, cuts, state, Math.max(since, cuts.from), cuts.until);
  return parts;
}

type Growing = Partial<Record<State, Millis>>;

function emptyParts(cuts: Cuts): Growing[] {
  return Array.from({ length: partsOf(cuts) }, () => ({}));
}

function spread(
  parts: Growing[],
  { from, until, width }: Cuts,
  state: State,
  begins: Instant,
  ends: Instant,
) {
  const end = Math.min(ends, until);
  let at = Math.max(begins, from);
  while (at < end) {
    const index = Math.floor((at - from) / width);
    const next = Math.min(end, from + (index + 1) * width);
    const part = parts[index];
    if (part !== undefined) part[state] = (part[state] ?? 0) + next - at;
    at = next;
  }
}

/** The judged time, and how much of it an agent was neither dead, stalled nor failing. */
export function upOf(parts: Iterable<StateTimes>): { readonly up: Millis; readonly judged: Millis } {
  let [up, judged] = [0, 0];
  for (const part of parts) {
    for (const [state, length] of Object.entries(part) as [State, Millis][]) {
      const { uptime } = traitsOf(state);
      if (uptime !== "none") judged += length;
      if (uptime === "up") up += length;
    }
  }
  return { up, judged };
}
