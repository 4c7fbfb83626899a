import { type Instant, SECOND } from "../../core/duration.ts";
import { claimable, mine, type Task } from "../../core/task/task.ts";
import { type TaskSource, TaskSourceError } from "../../ports/task-source.ts";

/** Who asks, and when. */
export interface Asking {
  /** The agent whose tasks are "mine"; undefined: the list is our own, and whatever anybody took is ours. */
  readonly me: string | undefined;
  readonly now: () => Instant;
}

/** A source that can list everything in one go, and nothing else. */
export interface TaskList {
  /** What people know it by; it holds no secret. */
  readonly name: string;
  list(abort: AbortSignal): Promise<readonly Task[]>;
}

/** Answers every question of the port from one list. */
export function listedTasks(from: TaskList, { me, now }: Asking): TaskSource {
  const ours = async (abort: AbortSignal) => (await from.list(abort)).filter((task) => mine(task, me));
  return {
    mine: ours,
    async claimable(abort) {
      const tasks = await from.list(abort);
      const at = now();
      return tasks.filter((task) => claimable(task, at) && (me === undefined || !mine(task, me)));
    },
    async completedSince(since, abort) {
      const completed = (await ours(abort)).filter(({ status }) => status === "completed");
      return completed.filter((task) => completedAt(task, from.name) >= Math.floor(since / SECOND));
    },
    async disputes(abort) {
      return (await ours(abort)).filter(({ status }) => status === "disputed");
    },
  };
}

/** Without a date it would belong to every summary or to none. */
function completedAt({ id, completedAt: at }: Task, name: string): number {
  if (at !== undefined) return at;
  const problem = `expected completedAt, Unix seconds such as 1767225600, of a completed task`;
  throw new TaskSourceError("bad-task", `${name}: task ${id}: ${problem}`);
}
