import type { Instant } from "../duration.ts";
import type { State } from "../liveness/state.ts";
import type { Flip } from "../liveness/verdict.ts";

const DOWN: readonly State[] = ["dead", "stalled", "failing"];
/** Time in these counts for nothing: nobody knew, or nobody was to know. */
const UNJUDGED: readonly State[] = ["unknown", "paused", "new"];

/**
 * The share of the judged time in a span in which an agent was not down, or undefined if none was judged.
 * `flips` are those until `to`, newest first; `now` is the state after the newest, which serves if there is none.
 */
export function uptime(
  flips: readonly Flip[],
  span: { readonly from: Instant; readonly to: Instant },
  now: State | undefined,
): number | undefined {
  let [up, down] = [0, 0];
  let end = span.to;
  let state = flips[0]?.to ?? now;
  const count = (begin: Instant): void => {
    const length = Math.max(0, end - Math.max(begin, span.from));
    if (state !== undefined && DOWN.includes(state)) down += length;
    else if (state !== undefined && !UNJUDGED.includes(state)) up += length;
    end = Math.min(end, begin);
  };
  for (const flip of flips) {
    if (end <= span.from) break;
    count(flip.at);
    state = flip.from;
  }
  count(span.from);
  return up + down === 0 ? undefined : up / (up + down);
}
