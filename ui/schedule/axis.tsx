import type { RunView } from "../api/shapes.ts";
import { now } from "../kit/clock.ts";

const WIDTH = 1440;

/** Runs as marks on an axis of time; the next one hollow, now a line. */
export function Axis(props: {
  name: string;
  runs: readonly RunView[];
  nextAt: string | null;
  from: number;
  to: number;
}) {
  const { from, to } = props;
  const x = (at: string | number) =>
    Math.round((((typeof at === "number" ? at : Date.parse(at)) - from) / (to - from)) * WIDTH);
  const shown = props.runs.filter(({ dueAt, endedAt }) => x(endedAt ?? dueAt) >= 0 && x(dueAt) <= WIDTH);
  const next = props.nextAt === null ? undefined : x(props.nextAt);
  return (
    <svg
      class="axis"
      viewBox={`0 0 ${WIDTH} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${shown.length} runs of ${props.name} in the last 24 hours`}
    >
      <path class="axis-line" d={`M0 12h${WIDTH}`} />
      {shown.map(({ id, dueAt, startedAt, endedAt, outcome }) => {
        const begin = x(startedAt ?? dueAt);
        const width = Math.max(6, x(endedAt ?? startedAt ?? dueAt) - begin);
        return <rect key={id} class={`o-${outcome}`} x={begin} y="5" width={width} height="14" />;
      })}
      {next !== undefined && next <= WIDTH && (
        <rect class="axis-next" x={next - 4} y="6" width="8" height="12" />
      )}
      <path class="axis-now" d={`M${x(now())} 0v24`} />
    </svg>
  );
}
