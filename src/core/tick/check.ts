import { sayProblem } from "../beat-input.ts";
import { type Instant, iso } from "../duration.ts";
import { dueBy, isDue } from "./period.ts";
import type { Tick } from "./tick.ts";
import { type Awaited, readTick } from "./tick-input.ts";

/** What stands where a tick should: parsed JSON, nothing, or something that cannot be read as a tick. */
export type FoundTick = { readonly value: unknown } | "absent" | { readonly unreadable: string };

/** How an agent did in a month. */
export type TickResult =
  | {
      readonly agent: string;
      readonly result: "healthy" | "degraded" | "critical" | "offline";
      readonly tick: Tick;
    }
  | { readonly agent: string; readonly result: "missing" }
  | { readonly agent: string; readonly result: "invalid"; readonly problem: string }
  /** Its month's window is still open. */
  | { readonly agent: string; readonly result: "not-due"; readonly until: string };

/** The kinds of failure that are filed; the same spelling everywhere, because markers contain it. */
export const TICK_FAILURES = {
  missing: "MISSING_TICK",
  critical: "CRITICAL_STATUS",
  offline: "OFFLINE",
  invalid: "INVALID_TICK",
} as const;

export type TickFailure = (typeof TICK_FAILURES)[keyof typeof TICK_FAILURES];

export function judgeTick(found: FoundTick, awaited: Awaited, now: Instant): TickResult {
  const { agent, month } = awaited;
  if (found === "absent") {
    return isDue(month, now)
      ? { agent, result: "missing" }
      : { agent, result: "not-due", until: iso(dueBy(month)) };
  }
  if ("unreadable" in found) return { agent, result: "invalid", problem: found.unreadable };
  const read = readTick(found.value, awaited);
  if ("problem" in read) return { agent, result: "invalid", problem: sayProblem(read.problem) };
  return { agent, result: read.tick.status, tick: read.tick };
}

/** The kind of a result's failure, or undefined if it is none. */
export function failureOf({ result }: TickResult): TickFailure | undefined {
  return result in TICK_FAILURES ? TICK_FAILURES[result as keyof typeof TICK_FAILURES] : undefined;
}

/** The names of what does not work, vitals first. */
export function lostOf({
  vitals = {},
  capabilities,
}: Pick<Tick, "capabilities"> & { vitals?: object }): string[] {
  return [...Object.entries(vitals), ...Object.entries(capabilities)]
    .filter(([, works]) => works === false)
    .map(([name]) => name);
}
