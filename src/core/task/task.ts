import { type Instant, SECOND } from "../duration.ts";

/**
 * Where a task stands. `open`: more may claim it, if there are places left. `claimed`: it is worked on, and nobody else may.
 * `disputed`: its result is contested. The others are ends: `completed` (done and paid), `cancelled` (taken back by its
 * creator), `expired` (its deadline passed before it was done).
 */
export const TASK_STATUSES = ["open", "claimed", "completed", "disputed", "cancelled", "expired"] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Paid work that somebody offers to agents. Values of 64 bits are bigints: a number would round them silently. */
export interface Task {
  readonly id: string;
  readonly creator: string;
  /** The capabilities that it requires, one bit each. */
  readonly capabilities: bigint;
  /** What each worker earns, in the smallest unit of the token. */
  readonly reward: bigint;
  /** What the reward is paid in; the source's own currency where it is absent. */
  readonly token?: string;
  readonly description: string;
  /** Unix seconds; 0: it has none. */
  readonly deadline: number;
  /** How many may work on it, and how many do. */
  readonly maxWorkers: number;
  readonly workers: number;
  /** Those who work on it or did, as far as the source names them. */
  readonly claimedBy: readonly string[];
  readonly status: TaskStatus;
  /** Unix seconds. */
  readonly completedAt?: number;
}

/** When it must be done, or undefined if it may take for ever. */
export function dueAt({ deadline }: Pick<Task, "deadline">): Instant | undefined {
  return deadline === 0 ? undefined : deadline * SECOND;
}

/** Whether somebody may still take it. At the very instant of its deadline it is too late. */
export function claimable(task: Task, now: Instant): boolean {
  return task.status === "open" && task.workers < task.maxWorkers && now < (dueAt(task) ?? Infinity);
}

/**
 * Whether it is ours: we are among those who claimed it. Where nobody says who we are, the list is our own, and
 * everything that anybody took is ours.
 */
export function mine(task: Task, me: string | undefined): boolean {
  if (me !== undefined) return task.claimedBy.includes(me);
  return task.workers > 0 || task.claimedBy.length > 0 || TAKEN.includes(task.status);
}

const TAKEN: readonly TaskStatus[] = ["claimed", "completed", "disputed"];
