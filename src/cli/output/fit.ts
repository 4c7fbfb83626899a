/** What a column of a table may lose when the terminal is narrow. */
export interface Fitting {
  /** It may be cut down to so many columns. */
  readonly least?: number | undefined;
  /** It may be left out, and is before columns with a lower number. */
  readonly drop?: number | undefined;
}

/** The space between two columns of a table. */
export const GAP = 2;

/**
 * How wide each column of a table becomes so that a row takes at most `total`: columns are left out (0) while not even
 * the least widths of all fit, then the space that is left is given out from the left, up to what each one wants.
 */
export function fitColumns(
  wanted: readonly number[],
  fittings: readonly Fitting[],
  total: number,
): readonly number[] {
  const least = wanted.map((width, i) => Math.min(width, fittings[i]?.least ?? width));
  let shown = wanted.map((_, i) => i);
  const needed = () => shown.reduce((sum, i) => sum + (least[i] ?? 0), GAP * (shown.length - 1));
  const order = shown
    .filter((i) => fittings[i]?.drop !== undefined)
    .sort((a, b) => (fittings[b]?.drop ?? 0) - (fittings[a]?.drop ?? 0));
  for (const dropped of order) {
    if (needed() <= total) break;
    shown = shown.filter((i) => i !== dropped);
  }
  let spare = Math.max(0, total - needed());
  return wanted.map((width, i) => {
    if (!shown.includes(i)) return 0;
    const given = Math.min(width, (least[i] ?? 0) + spare);
    spare -= given - (least[i] ?? 0);
    return given;
  });
}
