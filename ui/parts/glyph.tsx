import { STATE_TRAITS } from "../../src/core/liveness/state.ts";
import type { State } from "../api/shapes.ts";
import { MEANS } from "../words/states.ts";

/** The colours of a state, for the style sheet: of its shape, of its stretch of a strip, and of its words. */
export function coloursOf(state: State) {
  return { "--shape": `var(--c-${state})`, "--stretch": `var(--f-${state})`, "--word": `var(--w-${state})` };
}

export function Glyph({ state }: { state: State }) {
  return (
    <svg
      class={`glyph s-${state}`}
      style={coloursOf(state)}
      viewBox="0 0 16 16"
      width="14"
      height="14"
      aria-hidden="true"
    >
      <path d={(STATE_TRAITS[state] ?? STATE_TRAITS.unknown).shape} />
    </svg>
  );
}

/** A state as a shape and its word. */
export function StateWord({ state }: { state: State }) {
  return (
    <span class={`state s-${state}`} style={coloursOf(state)} title={MEANS[state]}>
      <Glyph state={state} />
      <span class="word">{state}</span>
    </span>
  );
}
