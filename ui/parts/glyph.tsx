import type { State } from "../api/shapes.ts";
import { MEANS } from "../words/states.ts";

/** One shape per state, so that colour is never the only difference. Drawn on a field of 16. */
const SHAPES: Readonly<Record<State, string>> = {
  dead: "M4 4l8 8M12 4l-8 8",
  stalled: "M4 4h8v8h-8z",
  failing: "M8 3l5.5 10h-11z",
  waiting: "M8 2.5l5.5 5.5-5.5 5.5-5.5-5.5z",
  limited: "M2.5 8h11M2.5 4.5h11M2.5 11.5h11",
  unknown: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11",
  late: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M8 5v3l2 1.5",
  new: "M8 3.5v9M3.5 8h9",
  alive: "M8 3a5 5 0 1 1 0 10a5 5 0 1 1 0-10",
  resting: "M11.8 10.6a5 5 0 1 1-5.6-7.2a4.2 4.2 0 0 0 5.6 7.2z",
  paused: "M5.5 3.5v9M10.5 3.5v9",
};

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
      <path d={SHAPES[state] ?? SHAPES.unknown} />
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
