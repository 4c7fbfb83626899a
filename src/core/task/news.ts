import { DAY, type Instant } from "../duration.ts";
import type { Task } from "./task.ts";
import { readUint64 } from "./uint64.ts";

/** What we know of a task that was told. It is plain data, to be stored as JSON. */
export interface ToldTask {
  /** The best reward that was told, in decimal. */
  readonly reward: string;
  /** When it was listed last. */
  readonly seenAt: Instant;
  /** It was not claimable, or not there, when we looked last: when it comes back it is news. */
  readonly gone?: true;
}

export type ToldTasks = Readonly<Record<string, ToldTask>>;

export type NewsReason = "new" | "better-reward" | "re-opened";

/** What news needs to know of a task. */
type Offered = Pick<Task, "id" | "reward">;

export interface News {
  readonly task: Offered;
  readonly reason: NewsReason;
}

/** So long is a task remembered that is not listed any more. */
const FORGET_AFTER = 30 * DAY;
/** So many tasks that are not listed any more are remembered, the latest: a board may invent new ids at every look. */
const MOST_GONE = 10_000;

/**
 * Which of the tasks that can be claimed now are worth telling, given what was told before, and what to remember of it.
 * Only a list that was read whole may come here: what is missing from it counts as gone.
 */
export function news(
  memory: unknown,
  listed: readonly Offered[],
  now: Instant,
): { readonly news: readonly News[]; readonly memory: ToldTasks } {
  const told = readTold(memory);
  const found: News[] = [];
  const kept: [string, ToldTask][] = [];
  for (const task of listed) {
    const before = told.get(task.id);
    told.delete(task.id);
    const reason = reasonFor(task, before);
    if (reason !== undefined) found.push({ task, reason });
    const earlier = BigInt(before?.reward ?? 0);
    const best = task.reward > earlier ? task.reward : earlier;
    kept.push([task.id, { reward: String(best), seenAt: now }]);
  }
  const gone = [...told]
    .filter(([, { seenAt }]) => now - seenAt < FORGET_AFTER)
    .sort(([, a], [, b]) => b.seenAt - a.seenAt)
    .slice(0, MOST_GONE)
    .map(([id, { reward, seenAt }]): [string, ToldTask] => [id, { reward, seenAt, gone: true }]);
  return { news: found, memory: Object.fromEntries([...kept, ...gone]) };
}

function reasonFor({ reward }: Offered, before: ToldTask | undefined): NewsReason | undefined {
  if (before === undefined) return "new";
  if (before.gone === true) return "re-opened";
  return reward > BigInt(before.reward) ? "better-reward" : undefined;
}

/** What was stored, without what is none: a task that is told twice is better than no news at all. */
function readTold(memory: unknown): Map<string, ToldTask> {
  const told = new Map<string, ToldTask>();
  if (typeof memory !== "object" || memory === null) return told;
  for (const [id, entry] of Object.entries(memory)) {
    const { reward, seenAt, gone } = (entry ?? {}) as Partial<Record<keyof ToldTask, unknown>>;
    if (typeof reward !== "string" || readUint64(reward) === undefined) continue;
    if (typeof seenAt !== "number" || !Number.isFinite(seenAt)) continue;
    told.set(id, { reward, seenAt, ...(gone === true ? { gone } : {}) });
  }
  return told;
}
