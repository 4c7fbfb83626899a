import type { State } from "../../core/liveness/state.ts";
import { type Cuts, type StateTimes, timesOf } from "../../core/liveness/state-times.ts";
import type { FlipPoint } from "./protocol.ts";

/** The times of one agent by its flips as they are stored; null without one. */
export function timesOfPoints(points: readonly FlipPoint[], cuts: Cuts): readonly StateTimes[] | null {
  if (points.length === 0) return null;
  return timesOf(
    points.map(([at, from, to]) => ({ at, from: from as State, to: to as State })),
    cuts,
  );
}
