import { CodedError } from "../core/coded-error.ts";
import type { Instant } from "../core/duration.ts";
import type { Task } from "../core/task/task.ts";

/**
 * Where tasks come from: a file, a server, later the issues of a forge. Each call looks anew and gives the whole list or
 * rejects with a `TaskSourceError`: a source that fails is never a list without tasks. No id comes twice in a list.
 */
export interface TaskSource {
  /** What we may take now: open, with places left, its deadline not passed, and not ours already. */
  claimable(abort: AbortSignal): Promise<readonly Task[]>;
  /** What we work on or did, in whatever status. */
  mine(abort: AbortSignal): Promise<readonly Task[]>;
  /** What of ours was completed at or after the second of that instant. */
  completedSince(since: Instant, abort: AbortSignal): Promise<readonly Task[]>;
  /** What of ours is disputed now. */
  disputes(abort: AbortSignal): Promise<readonly Task[]>;
}

/**
 * `no-source`: there is none, which is no failure but a reason to skip the run. `no-token`: the secret that the config names
 * cannot be had. `refused`: the server does not accept us. `aborted`: whoever asked took it back.
 */
export const TASK_SOURCE_PROBLEMS = [
  ...(["no-source", "unreadable", "bad-json", "bad-task", "too-large", "no-token", "refused"] as const),
  ...(["not-found", "limited", "unavailable", "redirected", "bad-paging", "timeout", "aborted"] as const),
] as const;

export type TaskSourceProblem = (typeof TASK_SOURCE_PROBLEMS)[number];

/** Why no tasks could be had: names the file or the address, the place in it and what would be right. */
export class TaskSourceError extends CodedError<TaskSourceProblem> {
  override readonly name = "TaskSourceError";
}
