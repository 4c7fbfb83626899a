import { DAY } from "../../src/core/duration.ts";
import type { Strip } from "../api/strips.ts";
import { now } from "../kit/clock.ts";
import { Hours } from "../parts/hours.tsx";
import { StripOfLife } from "../parts/strip.tsx";
import type { ShownHistory } from "./timeline.ts";

const WIDTH = 1440;

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly class: string;
}

/** The last day at a glance: its state, beats, cycles, recoveries and incidents under each other. */
export function Lanes({ strip, history }: { strip: Strip; history: ShownHistory }) {
  const to = now();
  const from = to - DAY;
  const bar = (begin: string, end: string | null, kind: string): Bar => ({
    from: Date.parse(begin),
    to: end === null ? to : Date.parse(end),
    class: kind,
  });
  const { beats, cycles, recoveries, incidents } = history;
  const lanes: [string, Bar[]][] = [
    ["beats", beats.map(({ receivedAt: at, status }) => bar(at, at, `b-${status}`))],
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
  return (
    <section class="lanes" aria-label="The last 24 hours">
      <span class="lane-name">state</span>
      <StripOfLife strip={strip} from={from} to={to} />
      {lanes.map(([name, bars]) => (
        <Lane key={name} name={name} bars={bars.filter((bar) => bar.to >= from)} from={from} />
      ))}
      <span />
      <Hours from={from} to={to} />
    </section>
  );
}

function Lane({ name, bars, from }: { name: string; bars: readonly Bar[]; from: number }) {
  const paths = new Map<string, string>();
  for (const bar of bars) {
    const x = Math.max(0, Math.round(((bar.from - from) / DAY) * WIDTH));
    const width = Math.max(3, Math.round(((bar.to - from) / DAY) * WIDTH) - x);
    paths.set(bar.class, `${paths.get(bar.class) ?? ""}M${x} 0h${width}v10h-${width}z`);
  }
  return (
    <>
      <span class="lane-name">{name}</span>
      <svg
        class="lane"
        viewBox={`0 0 ${WIDTH} 10`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${bars.length} ${name} in the last 24 hours`}
      >
        {[...paths].map(([kind, path]) => (
          <path key={kind} class={kind} d={path} />
        ))}
      </svg>
    </>
  );
}
