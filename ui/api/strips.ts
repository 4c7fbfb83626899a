import type { State, StripsAnswer } from "./shapes.ts";

/** A state and when it began, oldest first. */
export type Strip = readonly (readonly [at: number, state: State])[];

export function stripsOf({ from, agents }: StripsAnswer): Map<string, Strip> {
  const start = Date.parse(from);
  const at = (points: StripsAnswer["agents"][string]): Strip =>
    points.map(([seconds, state]) => [start + seconds * 1000, state] as const);
  return new Map(Object.entries(agents).map(([id, points]) => [id, at(points)]));
}

/** The strip with the state that stands now: live changes arrive one by one. */
export function withState(strip: Strip, state: State, since: number): Strip {
  const last = strip.at(-1);
  if (last?.[1] === state) return strip;
  // A flip is dated when it became true, which may be before what was thought of that time.
  return [...strip.filter(([at]) => at < since), [since, state]];
}

/** A stretch of one state within a window, as parts of its length from 0 to 1. */
export interface StripPart {
  readonly state: State;
  readonly from: number;
  readonly to: number;
}

/** What of a strip lies in a window. What is not known, before the first point, is left out. */
export function stretches(strip: Strip, from: number, to: number): StripPart[] {
  const list: StripPart[] = [];
  strip.forEach(([at, state], index) => {
    const begins = Math.max(at, from);
    const ends = Math.min(strip[index + 1]?.[0] ?? to, to);
    if (ends > begins)
      list.push({ state, from: (begins - from) / (to - from), to: (ends - from) / (to - from) });
  });
  return list;
}
