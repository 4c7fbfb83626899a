import { type Instant, iso, type Millis, SECOND } from "../duration.ts";

const SAMPLES = 16;
/** What is smaller than this is the network's doing: dates must not tremble, and clocks that agree are left alone. */
const STEADY: Millis = 2 * SECOND;

/** How far a host's clock is behind ours: what is added to its times. */
export interface ClockOffset {
  readonly used: Millis;
  /** Receipt minus sending, of the newest batches. */
  readonly samples: readonly Millis[];
}

/**
 * The offset after a batch that was sent at `sentAt` by the host's clock. The way takes time, so the smallest of the last
 * samples is the nearest to the truth.
 */
export function offsetAfter(
  known: ClockOffset | undefined,
  sentAt: Instant,
  receivedAt: Instant,
): ClockOffset {
  const sample = receivedAt - sentAt;
  const samples = [...(known?.samples ?? []), sample].slice(-SAMPLES);
  // The host's clock was set: what was measured before says nothing any more.
  if (known !== undefined && Math.abs(sample - known.used) > 60 * SECOND)
    return { used: sample, samples: [sample] };
  const best = Math.min(...samples);
  const before = known?.used ?? 0;
  return { used: Math.abs(best - before) >= STEADY ? best : before, samples };
}

const DATE = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;

/** A sentence of a host whose dates are of its clock, with the dates of ours. */
export function redated(sentence: string, offset: Millis): string {
  if (offset === 0) return sentence;
  return sentence.replace(DATE, (date) => {
    const here = iso(Date.parse(date) + offset);
    return date.includes(".") ? here : `${here.slice(0, 19)}Z`;
  });
}
