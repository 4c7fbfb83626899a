import { DAY, MINUTE } from "../../src/core/duration.ts";
import { upOf } from "../../src/core/liveness/state-times.ts";
import type { State } from "../api/shapes.ts";
import { type Strip, stretches } from "../api/strips.ts";

/** Uptime in parts of 10,000; it never says 100 % of an agent that was down. */
export function sayUptime(parts: number | null): string {
  if (parts === null) return "–";
  const percent = parts / 100;
  if (percent === 100) return "100%";
  return percent >= 90 ? `${(Math.floor(percent * 10) / 10).toFixed(1)}%` : `${Math.floor(percent)}%`;
}

/** How bad it is, for its colour. */
export function uptimeClass(parts: number | null): "up-none" | "up-well" | "up-less" | "up-bad" {
  if (parts === null) return "up-none";
  return parts >= 9900 ? "up-well" : parts >= 9500 ? "up-less" : "up-bad";
}

/** The uptime of a window of an agent's strip. */
export function uptimeOf(strip: Strip, from: number, to: number): number | null {
  const times: Partial<Record<State, number>> = {};
  for (const part of stretches(strip, from, to))
    times[part.state] = (times[part.state] ?? 0) + (part.to - part.from);
  const { up, judged } = upOf([times]);
  return judged === 0 ? null : Math.floor((up / judged) * 10_000 + 1e-6);
}

/**
 * The uptime of the last 24 hours and of the longer ranges, which are read only now and then. They are the same for an agent
 * that was not known before the 24 hours.
 */
export function uptimesOf(
  strip: Strip,
  longer: readonly (number | null)[],
  now: number,
): readonly (number | null)[] {
  const day = uptimeOf(strip, now - DAY, now);
  const [first] = strip;
  const isNew = first !== undefined && first[0] > now - DAY + MINUTE;
  return [day, ...(isNew ? longer.map(() => day) : longer)];
}
