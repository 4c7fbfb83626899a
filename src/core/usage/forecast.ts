import { HOUR, type Instant } from "../duration.ts";
import type { LimitUse } from "./usage.ts";

/** What is left of a limit, and when it runs out if things go on like this. */
interface Forecast {
  readonly name: LimitUse["name"];
  /** From 0 to 1. */
  readonly left: number;
  readonly resetsAt?: Instant;
  /** Undefined if nothing was used lately, or if the limit is reset before. */
  readonly runsOutAt?: Instant;
}

/** So far back the pace is measured: longer ago another day's pace may have been. */
const PACE = { "5h": HOUR, "7d": 24 * HOUR } as const;

/** What a limit means at a moment; undefined if it was reset since it was told of. */
export function forecastOf(limit: LimitUse, now: Instant): Forecast | undefined {
  const { name, used, at, resetsAt, earlier } = limit;
  if (resetsAt !== undefined && now >= resetsAt) return undefined;
  const left = Math.max(0, 1 - used);
  const known = { name, left, ...(resetsAt === undefined ? {} : { resetsAt }) };
  if (left === 0) return { ...known, runsOutAt: at };
  const first = earlier.find(([told]) => told >= at - PACE[name]);
  if (first === undefined || at - first[0] <= 0 || used <= first[1]) return known;
  const pace = (used - first[1]) / (at - first[0]);
  const runsOutAt = Math.round(at + left / pace);
  return resetsAt !== undefined && runsOutAt >= resetsAt ? known : { ...known, runsOutAt };
}
