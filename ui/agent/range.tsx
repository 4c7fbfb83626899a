import { DAY, HOUR } from "../../src/core/duration.ts";
import type { RangeAnswer, State } from "../api/shapes.ts";
import type { Strip } from "../api/strips.ts";
import { useReadOn } from "../api/use-read.ts";
import { now } from "../kit/clock.ts";
import { address } from "../kit/place.ts";
import { go, usePlace } from "../kit/router.tsx";
import { exact } from "../parts/ago.tsx";
import { coloursOf } from "../parts/glyph.tsx";
import { Hours } from "../parts/hours.tsx";
import { StripOfLife } from "../parts/strip.tsx";
import { sayDuration } from "../words/duration.ts";
import { STATES } from "../words/states.ts";
import { sayUptime, uptimeClass } from "../words/uptime.ts";
import { type Bar, Lane } from "./lane.tsx";
import type { ShownHistory } from "./timeline.ts";

const RANGES = [
  ["24h", "24 h", 24, 3 * HOUR],
  ["7d", "7 d", 168, DAY],
  ["30d", "30 d", 720, 5 * DAY],
  ["90d", "90 d", 2160, 14 * DAY],
] as const;

const WIDTH = 1440;

/** A range of the past at a glance: state, beats, cycles, recoveries and incidents under each other. */
export function Range(props: { id: string; strip: Strip; history: ShownHistory; version: unknown }) {
  const { query } = usePlace();
  const { id, strip, history } = props;
  const [name, , hours, marks] = RANGES.find(([each]) => each === query.get("range")) ?? RANGES[0];
  const reading = useReadOn<RangeAnswer>(`/agents/${encodeURIComponent(id)}/range?hours=${hours}`, {
    version: props.version,
    every: 60_000,
  });
  // While another range is read, the one before still stands there.
  const range = reading.value;
  const to = range === undefined ? now() : Date.parse(range.to);
  const from = range === undefined ? to - hours * HOUR : Date.parse(range.from);
  const isDay = to - from <= DAY;
  const uptime = range?.uptime ?? null;
  return (
    <section class="card range" aria-labelledby="range">
      <div class="title-line">
        <h2 id="range">
          History <span class={`range-up ${uptimeClass(uptime)}`}>{sayUptime(uptime)} up</span>
        </h2>
        <div class="ranges" role="group" aria-label="Range">
          {RANGES.map(([each, words]) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === name}
              onClick={() => go(address("agents", id) + (each === "24h" ? "" : `?range=${each}`), "replace")}
            >
              {words}
            </button>
          ))}
        </div>
      </div>
      <div class="lanes">
        <span class="lane-name">state</span>
        {isDay ? <StripOfLife strip={strip} from={from} to={to} /> : <States range={range} />}
        <span class="lane-name">beats</span>
        <Beats range={range} />
        {lanesOf(history, to).map(([lane, bars]) => (
          <Lane key={lane} name={lane} bars={bars.filter((bar) => bar.to >= from)} from={from} to={to} />
        ))}
        <span />
        <Hours from={from} to={to} every={marks} />
      </div>
    </section>
  );
}

function lanesOf({ cycles, recoveries, incidents }: ShownHistory, end: number): [string, Bar[]][] {
  const bar = (begin: string, over: string | null, kind: string): Bar => ({
    from: Date.parse(begin),
    to: over === null ? end : Date.parse(over),
    class: kind,
  });
  return [
    [
      "cycles",
      cycles.map(({ beganAt, endedAt, outcome }) => bar(beganAt, endedAt, `o-${outcome ?? "open"}`)),
    ],
    ["recoveries", recoveries.map(({ plannedAt: at, state }) => bar(at, at, `v-${state}`))],
    [
      "incidents",
      incidents.map(({ openedAt, resolved, severity }) =>
        bar(openedAt, resolved?.at ?? null, `i-${severity}`),
      ),
    ],
  ];
}

/** Each part as a column of what it was made of: the well at the top, trouble at the bottom where the eye looks for it. */
function States({ range }: { range: RangeAnswer | undefined }) {
  const height = 22;
  const parts = range?.states ?? [];
  const step = WIDTH / Math.max(1, parts.length);
  const paths = new Map<State, string>();
  parts.forEach((part, index) => {
    const all = Object.values(part).reduce((sum, length) => sum + length, 0);
    let bottom = height;
    for (const state of STATES) {
      const length = part[state];
      if (length === undefined) continue;
      // What lasted a minute of a day must still be seen.
      const tall = Math.max(2, (length / all) * height);
      const top = Math.max(0, bottom - tall);
      const x = Math.round(index * step);
      const wide = Math.max(1, Math.round((index + 1) * step) - x - (step > 8 ? 3 : 0));
      paths.set(state, `${paths.get(state) ?? ""}M${x} ${top}h${wide}V${bottom}h-${wide}z`);
      bottom = top;
    }
  });
  return (
    <svg
      class="strip parts"
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={sayParts(range)}
    >
      {[...paths].map(([state, path]) => (
        <path key={state} style={coloursOf(state)} d={path} />
      ))}
    </svg>
  );
}

function sayParts(range: RangeAnswer | undefined): string {
  if (range === undefined) return "states: being read";
  const total = new Map<State, number>();
  for (const part of range.states)
    for (const state of STATES) total.set(state, (total.get(state) ?? 0) + (part[state] ?? 0));
  const said = [...total].filter(([, length]) => length > 0).sort((a, b) => b[1] - a[1]);
  if (said.length === 0) return `since ${exact(range.from)}: nothing known`;
  return `since ${exact(range.from)}: ${said.map(([state, length]) => `${state} ${sayDuration(length)}`).join(", ")}`;
}

/** How many beats came in each part, as columns: the most are as high as the lane. */
function Beats({ range }: { range: RangeAnswer | undefined }) {
  const beats = range?.beats ?? [];
  const most = Math.max(1, ...beats);
  const step = WIDTH / Math.max(1, beats.length);
  const total = beats.reduce((sum, count) => sum + count, 0);
  const path = beats
    .map((count, index) => {
      if (count === 0) return "";
      const tall = Math.max(2, (count / most) * 16);
      const x = Math.round(index * step);
      const wide = Math.max(1, Math.round((index + 1) * step) - x - (step > 8 ? 3 : 1));
      return `M${x} ${16 - tall}h${wide}V16h-${wide}z`;
    })
    .join("");
  return (
    <svg
      class="lane beats"
      viewBox={`0 0 ${WIDTH} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${total} beats`}
    >
      <path class="b-ok" d={path} />
    </svg>
  );
}
