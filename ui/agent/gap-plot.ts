import uPlot from "uplot";
import { sayHour } from "../words/dates.ts";
import { sayDuration } from "../words/duration.ts";

export interface GapPlot {
  readonly gaps: readonly (readonly [at: number, gap: number])[];
  readonly promised: number | undefined;
  readonly learnt: number | undefined;
}

const HEIGHT = 180;

/** Draws the gaps into a place, as wide as that is, until aborted. */
export function draw(place: HTMLElement, { gaps, promised, learnt }: GapPlot, signal: AbortSignal): void {
  const colour = (name: string) => {
    // A canvas knows no variables of the style sheet: the element itself is asked what they come to.
    place.style.color = `var(--${name})`;
    return getComputedStyle(place).color;
  };
  const family = getComputedStyle(place).fontFamily;
  const axis = {
    stroke: colour("quiet"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
    font: `11px ${family}`,
  };
  const level = (value: number | undefined) => gaps.map(() => value ?? null);
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        y: { range: (_, __, most) => [0, Math.max(most, promised ?? 0, learnt ?? 0) * 1.1] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          grid: { show: false },
          values: (_, splits) => splits.map((second) => sayHour(second * 1000)),
          space: 70,
        },
        {
          ...axis,
          size: 62,
          values: (_, splits) => splits.map((split) => (split === 0 ? "0" : sayDuration(split))),
          splits: steps,
        },
      ],
      series: [
        {},
        {
          stroke: colour("accent"),
          fill: colour("accent-soft"),
          width: 1,
          points: { show: gaps.length < 80, size: 4 },
          ...(uPlot.paths.bars === undefined ? {} : { paths: uPlot.paths.bars({ size: [0.6, 8] }) }),
        },
        { stroke: colour("quiet"), width: 1, dash: [4, 4], points: { show: false } },
        { stroke: colour("c-stalled"), width: 1.5, points: { show: false } },
      ],
    },
    [gaps.map(([at]) => at / 1000), gaps.map(([, gap]) => gap), level(promised), level(learnt)],
    place,
  );
  const watcher = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  watcher.observe(place);
  signal.addEventListener("abort", () => {
    watcher.disconnect();
    plot.destroy();
  });
}

const STEPS = [1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400].map(
  (s) => s * 1000,
);

/** Marks at lengths that people use, at most five. */
function steps(_: uPlot, __: number, least: number, most: number): number[] {
  const step = STEPS.find((each) => (most - least) / each <= 5) ?? 7 * 86_400_000;
  const list: number[] = [];
  for (let at = 0; at <= most; at += step) list.push(at);
  return list;
}
