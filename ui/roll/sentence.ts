import { type StateCounts, sumOf } from "../../src/core/liveness/state.ts";
import type { State, WatcherInfo } from "../api/shapes.ts";

/** A clause of the sentence that matters, and where it leads. */
export interface Clause {
  readonly state?: State;
  /** A channel whose messages do not arrive, and since when. */
  readonly channel?: { readonly name: string; readonly since: string };
  readonly text: string;
}

/** What needs somebody, in the order in which a person would ask: those who wait, then those who are down. */
const SAYS: readonly (readonly [state: State, one: string, many: string])[] = [
  ["waiting", "waits for you", "wait for you"],
  ["dead", "is dead", "are dead"],
  ["stalled", "is stalled", "are stalled"],
  ["failing", "is failing", "are failing"],
  ["limited", "is at a limit", "are at a limit"],
];

/** How the fleet is, in one sentence: nothing else on the page must be read first. */
export function sentenceOf(counts: StateCounts, failing: WatcherInfo["failingChannels"]): readonly Clause[] {
  const all = sumOf(counts);
  const trouble = SAYS.flatMap(([state, one, many]): Clause[] => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [{ state, text: `${count} ${count === 1 ? one : many}` }];
  });
  const [first, ...others] = trouble;
  const said =
    first === undefined
      ? [{ text: `${all === 1 ? "The agent is" : `All ${all} agents are`} well` }]
      : [
          { ...first, text: first.text.replace(" ", first.text.startsWith("1 ") ? " agent " : " agents ") },
          ...others,
        ];
  const channels = failing.map(
    ({ place, since }): Clause => ({ channel: { name: place, since }, text: `messages to ${place} fail` }),
  );
  return [...said, ...channels];
}
