const WIDTH = 1440;

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly class: string;
}

/** What happened between two moments, as bars on a line. */
export function Lane(props: { name: string; bars: readonly Bar[]; from: number; to: number }) {
  const { name, bars, from } = props;
  const length = props.to - from;
  const paths = new Map<string, string>();
  for (const bar of bars) {
    const x = Math.max(0, Math.round(((bar.from - from) / length) * WIDTH));
    const width = Math.max(3, Math.round(((bar.to - from) / length) * WIDTH) - x);
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
        aria-label={`${bars.length} ${name}`}
      >
        {[...paths].map(([kind, path]) => (
          <path key={kind} class={kind} d={path} />
        ))}
      </svg>
    </>
  );
}
