import { type Instant, SECOND } from "../duration.ts";
import type { Task } from "./task.ts";

export interface Earnings {
  /** Absent: the source's own currency. */
  readonly token?: string;
  /** In the smallest unit. */
  readonly amount: bigint;
}

/** What a summary needs to know of a task. */
type Completed = Pick<Task, "status" | "completedAt" | "reward" | "token">;

export interface Summary {
  readonly completions: number;
  /** By token, those without one first; empty if nothing was earned. */
  readonly earnings: readonly Earnings[];
  readonly message: string;
  /** Where the next summary begins. */
  readonly until: Instant;
}

/**
 * What was completed and earned since the last summary. Sources date completions in whole seconds, so that the present
 * second is left to the next summary: what is completed within it is counted once, whether it was listed already or not.
 */
export function summarise(tasks: readonly Completed[], since: Instant, now: Instant): Summary {
  const from = Math.floor(since / SECOND);
  // After a clock that was set back nothing is counted again.
  const to = Math.max(from, Math.floor(now / SECOND));
  const completed = tasks.filter(({ status, completedAt = -1 }) => {
    return status === "completed" && completedAt >= from && completedAt < to;
  });
  const earnings = earningsOf(completed);
  const said = earnings.map(({ token, amount }) => (token === undefined ? amount : `${amount} ${token}`));
  return {
    completions: completed.length,
    earnings,
    message: `Daily summary: ${completed.length} tasks completed, ${said.join(" and ") || "0"} earned`,
    until: to * SECOND,
  };
}

function earningsOf(completed: readonly Completed[]): Earnings[] {
  const amounts = new Map<string, bigint>();
  for (const { reward, token = "" } of completed) amounts.set(token, (amounts.get(token) ?? 0n) + reward);
  return [...amounts]
    .filter(([, amount]) => amount > 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([token, amount]) => (token === "" ? { amount } : { token, amount }));
}
