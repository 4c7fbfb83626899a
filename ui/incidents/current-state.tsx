import { roll } from "../api/live.ts";
import type { State } from "../api/shapes.ts";
import { useValue } from "../kit/observable.ts";
import { coloursOf, Glyph } from "../parts/glyph.tsx";

/** The state of an agent now, where it is another than the one that its incident opened with. */
export function CurrentState({ agent, opened }: { agent: string; opened: State }) {
  const state = useValue(roll).agents.get(agent)?.agent.state;
  if (state === undefined || state === opened) return null;
  return (
    <span class={`now-state state s-${state}`} style={coloursOf(state)}>
      <span class="quiet">now</span> <Glyph state={state} />
      <span class="word">{state}</span>
    </span>
  );
}
