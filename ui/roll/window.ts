export interface Window {
  readonly from: number;
  readonly to: number;
}

/** So many rows are simply all there: a browser's own search and a screen reader then find everything. */
const ALL_UP_TO = 120;
const BEYOND = 12;

/** Which of `count` rows to draw, for a list whose top lies `above` pixels over the top of the view. */
export function windowOf(count: number, row: number, above: number, view: number): Window {
  if (count <= ALL_UP_TO) return { from: 0, to: count };
  const from = Math.max(0, Math.floor(above / row) - BEYOND);
  const to = Math.min(count, Math.ceil((above + view) / row) + BEYOND);
  return { from: Math.min(from, count), to: Math.max(to, Math.min(count, BEYOND)) };
}
