import type { State } from "../api/shapes.ts";
import { type Strip, stretches } from "../api/strips.ts";
import { STATES } from "../words/states.ts";
import { coloursOf } from "./glyph.tsx";

const WIDTH = 1440;

/** A day of an agent's life: one path per state, so that even a restless one costs few elements. */
export function StripOfLife({ strip, from, to }: { strip: Strip; from: number; to: number }) {
  const found = stretches(strip, from, to);
  const paths = new Map<State, string>();
  for (const { state, from: begins, to: ends } of found) {
    const x = Math.round(begins * WIDTH);
    // A state that lasted a minute must not vanish between two pixels.
    const width = Math.max(4, Math.round(ends * WIDTH) - x);
    paths.set(state, `${paths.get(state) ?? ""}M${x} 0h${width}v16h-${width}z`);
  }
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${WIDTH} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={sayStrip(found)}
    >
      {/* Drawn from well to unwell, so that a short trouble lies on top. */}
      {STATES.toReversed().map((state) => {
        const path = paths.get(state);
        return path === undefined ? null : <path key={state} style={coloursOf(state)} d={path} />;
      })}
    </svg>
  );
}

function sayStrip(found: readonly { state: State; from: number; to: number }[]): string {
  if (found.length === 0) return "24 hours: nothing known";
  const share = new Map<State, number>();
  for (const { state, from, to } of found) share.set(state, (share.get(state) ?? 0) + to - from);
  const parts = [...share].sort((a, b) => b[1] - a[1]).slice(0, 3);
  return `24 hours: ${parts.map(([state, part]) => `${state} ${Math.max(1, Math.round(part * 100))}%`).join(", ")}`;
}
