import type { Reading, ReadingState } from "../../src/core/screen/reading.ts";

/** The states of the design's table that a screen alone can lead to. */
export type FleetState = "alive" | "waiting" | "limited" | "resting" | "dead" | "stalled";

/** Where the context's own limit is not learnt yet, silence is judged after this long: 45 minutes. */
const stallAfter = 45 * 60_000;

const direct: Partial<Record<ReadingState, FleetState>> = {
  waiting: "waiting",
  login: "waiting",
  limited: "limited",
  idle: "resting",
  exited: "dead",
};

/** What the judge would make of this reading, if the screen were all that it knew. */
export function stateOf(reading: Reading, now: number): FleetState {
  const known = direct[reading.state];
  if (known !== undefined) return known;
  return now - reading.progressAt >= stallAfter ? "stalled" : "alive";
}
