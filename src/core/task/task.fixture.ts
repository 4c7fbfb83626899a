import type { Instant } from "../duration.ts";
import type { Task } from "./task.ts";

/** Made-up tasks for tests. */
export const NOON: Instant = Date.UTC(2026, 0, 15, 12);

/** Unix seconds, so many minutes after noon. */
export function atMinute(minutes: number): number {
  return NOON / 1000 + minutes * 60;
}

export function madeUpTask(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    creator: "maker",
    capabilities: 1n,
    reward: 100n,
    description: "do it",
    deadline: 0,
    maxWorkers: 1,
    workers: more.claimedBy?.length ?? 0,
    claimedBy: [],
    status: "open",
    ...more,
  };
}
