import { alerts } from "../../core/task/alerts.ts";
import { ALL_CAPABILITIES, holds, sayCapabilities } from "../../core/task/capabilities.ts";
import { news } from "../../core/task/news.ts";
import { summarise } from "../../core/task/summary.ts";
import type { Task } from "../../core/task/task.ts";
import type { Clock } from "../../ports/clock.ts";
import { TaskSourceError } from "../../ports/task-source.ts";
import type { HeartbeatAction, HeartbeatContext, HeartbeatResult, TaskOperations } from "../action.ts";

/** What a scan looks for. All of the bits that a task requires must be held. */
export interface ScanSettings {
  readonly minReward: bigint;
  readonly capabilities: bigint;
}

const QUIET: HeartbeatResult = { shouldNotify: false };
const NO_SOURCE: HeartbeatResult = { shouldNotify: false, skipped: "no-source" };
/** How many tasks the history names. */
const NAMED = 100;

/** Asks the source; where there is none, that is no failure but a reason. */
async function fromSource<T>(
  { runtime }: HeartbeatContext,
  ask: (tasks: TaskOperations<Task>) => Promise<T>,
): Promise<T | "no-source"> {
  const tasks = runtime.tasks as TaskOperations<Task> | undefined;
  if (tasks === undefined) return "no-source";
  try {
    return await ask(tasks);
  } catch (error) {
    if (error instanceof TaskSourceError && error.code === "no-source") return "no-source";
    throw error;
  }
}

/** Tells of tasks that could be claimed and have not been told before. */
export function taskScan(
  { minReward, capabilities }: ScanSettings,
  clock: Pick<Clock, "wall">,
): HeartbeatAction {
  return {
    name: "task-scan",
    description: describeScan(minReward, capabilities),
    async execute(context) {
      const listed = await fromSource(context, (tasks) => tasks.claimable(context.abort));
      if (listed === "no-source") return NO_SOURCE;
      const fitting = listed.filter(
        (task) => task.reward >= minReward && holds(capabilities, task.capabilities),
      );
      const { memory } = context.session;
      const found = news(memory.get("told"), fitting, clock.wall());
      memory.set("told", found.memory);
      const count = found.news.length;
      if (count === 0) return QUIET;
      return {
        shouldNotify: true,
        message: `Found ${count} new tasks matching your capabilities`,
        metadata: {
          count,
          tasks: found.news
            .slice(0, NAMED)
            .map(({ task, reason }) => ({ id: task.id, reason, reward: task.reward })),
        },
      };
    },
  };
}

/** A mask with every bit accepts every task, and a list of 64 bits says nothing: only limits are named. */
function describeScan(minReward: bigint, capabilities: bigint): string {
  const limits = [
    ...(minReward === 0n ? [] : [`pay at least ${minReward}`]),
    ...(capabilities === ALL_CAPABILITIES ? [] : [`need no more than ${sayCapabilities(capabilities)}`]),
  ];
  return `tells of new tasks${limits.length === 0 ? "" : ` that ${limits.join(" and ")}`}`;
}

/**
 * Sums up what was completed since it last did, whether that was yesterday or not. Where a person asked for it, it always
 * sends; otherwise it is skipped where there is no source of tasks.
 */
export function dailySummary(clock: Pick<Clock, "wall">, wanted = true): HeartbeatAction {
  return {
    name: "daily-summary",
    description: "sums up the tasks completed and what they earned since the last summary",
    async execute(context) {
      const { memory } = context.session;
      const now = clock.wall();
      const last = memory.get("until");
      const since = typeof last === "number" ? last : now - 24 * 60 * 60_000;
      const completed = await fromSource(context, (tasks) => tasks.completedSince(since, context.abort));
      if (completed === "no-source" && !wanted) return NO_SOURCE;
      const { message, until, completions, earnings } = summarise(
        completed === "no-source" ? [] : completed,
        since,
        now,
      );
      // What was completed while there was no source to ask is counted when there is one again.
      if (completed !== "no-source") memory.set("until", until);
      return { shouldNotify: true, message, metadata: { completions, earnings, since } };
    },
  };
}

/** Tells of deadlines that come close and of disputes, once each, and again only when it gets worse. */
export function portfolioMonitor(threshold: number | undefined, clock: Pick<Clock, "wall">): HeartbeatAction {
  return {
    name: "portfolio-monitor",
    description: "tells of your tasks whose deadline comes close, and of disputes",
    async execute(context) {
      const { abort, session } = context;
      const held = await fromSource(context, async (tasks) => ({
        mine: await tasks.mine(abort),
        disputes: await tasks.disputes(abort),
      }));
      if (held === "no-source") return NO_SOURCE;
      const found = alerts(session.memory.get("alerts"), held, clock.wall(), threshold);
      session.memory.set("alerts", found.memory);
      if (found.alerts.length === 0) return QUIET;
      return {
        shouldNotify: true,
        message: found.alerts.map(({ message }) => message).join("\n"),
        metadata: { alerts: found.alerts.map(({ task, kind }) => ({ id: task, kind })) },
      };
    },
  };
}
