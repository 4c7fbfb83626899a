import { HOUR } from "../../core/duration.ts";
import { alerts } from "../../core/task/alerts.ts";
import { ALL_CAPABILITIES, holds, readCapabilities, sayCapabilities } from "../../core/task/capabilities.ts";
import { news } from "../../core/task/news.ts";
import { summarise } from "../../core/task/summary.ts";
import type { Task } from "../../core/task/task.ts";
import { readUint64, UINT64_FORM } from "../../core/task/uint64.ts";
import type { Clock } from "../../ports/clock.ts";
import { type TaskSource, TaskSourceError } from "../../ports/task-source.ts";
import { systemClock } from "../../system/clock.ts";
import type { HeartbeatAction, HeartbeatResult } from "../engine/action.ts";
import { ActionError } from "../engine/options.ts";

/** What the actions of this file read of their context. The context of any program fits. */
export interface TaskContext {
  /** Its `memory`, if it has `get` and `set`, outlives the action; without one the action itself remembers. */
  readonly session?: unknown;
  /** Its `tasks` are asked where the action was given no source. */
  readonly runtime?: unknown;
  readonly abort?: AbortSignal;
}

export interface TaskResult extends HeartbeatResult {
  readonly metadata?: Record<string, unknown>;
}

/** What the three actions share. Each asks only its own methods of a source. */
interface TaskSettings<Asked> {
  /** `tasks` of the context's runtime unless given. */
  readonly source?: Asked | undefined;
  /** The machine's unless given. */
  readonly clock?: Pick<Clock, "wall"> | undefined;
}

/** What a scan looks for. All of the bits that a task requires must be held. */
export interface TaskScanSettings
  extends TaskSettings<{ claimable(abort: AbortSignal): Promise<readonly OfferedTask[]> }> {
  /** In the smallest unit; 0 unless given. */
  readonly minReward?: bigint | number | string | undefined;
  /** A mask of 64 bits or a list of names; everything unless given. */
  readonly capabilities?: bigint | number | string | readonly string[] | undefined;
}

export interface DailySummarySettings
  extends TaskSettings<{
    completedSince(since: number, abort: AbortSignal): Promise<readonly CompletedTask[]>;
  }> {
  /** Whether it also sends where there is no source; true unless given. */
  readonly always?: boolean | undefined;
}

export interface PortfolioMonitorSettings
  extends TaskSettings<{
    mine(abort: AbortSignal): Promise<readonly HeldTask[]>;
    disputes(abort: AbortSignal): Promise<readonly Pick<Task, "id">[]>;
  }> {
  /** How close a deadline must be; 2 unless given. */
  readonly thresholdHours?: number | undefined;
}

type OfferedTask = Pick<Task, "id" | "reward" | "capabilities">;
type CompletedTask = Pick<Task, "status" | "completedAt" | "reward" | "token">;
type HeldTask = Pick<Task, "id" | "status" | "deadline">;

const QUIET: TaskResult = { shouldNotify: false };
const NO_SOURCE: TaskResult = { shouldNotify: false, skipped: "no-source" };
/** How many tasks the history names. */
const NAMED = 100;
const NEVER = new AbortController().signal;

/** Tells of tasks that could be claimed and have not been told before. */
export class TaskScanAction implements HeartbeatAction<TaskContext> {
  readonly name = "task-scan";
  readonly description: string;
  readonly #settings: TaskScanSettings;
  readonly #minReward: bigint;
  readonly #capabilities: bigint;
  readonly #own = new Map<string, unknown>();

  constructor(settings: TaskScanSettings = {}) {
    const { minReward = 0n, capabilities = ALL_CAPABILITIES } = settings;
    this.#settings = settings;
    const reward = readUint64(minReward);
    if (reward === undefined) throw badSetting(this.name, "minReward", minReward, UINT64_FORM);
    const read = readCapabilities(capabilities);
    if ("problem" in read)
      throw badSetting(this.name, read.problem.path, read.problem.value, read.problem.expected);
    this.#minReward = reward;
    this.#capabilities = read.mask;
    this.description = describeScan(reward, read.mask);
  }

  async execute(context: TaskContext = {}): Promise<TaskResult> {
    const { source, clock = systemClock } = this.#settings;
    const listed = await fromSource(context, source, (tasks, abort) => tasks.claimable(abort));
    if (listed === "no-source") return NO_SOURCE;
    const fitting = listed.filter(
      (task) => task.reward >= this.#minReward && holds(this.#capabilities, task.capabilities),
    );
    const memory = memoryOf(context, this.#own);
    const found = news(await memory.get("told"), fitting, clock.wall());
    await memory.set("told", found.memory);
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
  }
}

/** A mask with every bit accepts every task, and a list of 64 bits says nothing: only limits are named. */
function describeScan(minReward: bigint, capabilities: bigint): string {
  const limits = [
    ...(minReward === 0n ? [] : [`pay at least ${minReward}`]),
    ...(capabilities === ALL_CAPABILITIES ? [] : [`need no more than ${sayCapabilities(capabilities)}`]),
  ];
  return `tells of new tasks${limits.length === 0 ? "" : ` that ${limits.join(" and ")}`}`;
}

/** Sums up what was completed since it last did, whether that was yesterday or not. */
export class DailySummaryAction implements HeartbeatAction<TaskContext> {
  readonly name = "daily-summary";
  readonly description = "sums up the tasks completed and what they earned since the last summary";
  readonly #settings: DailySummarySettings;
  readonly #own = new Map<string, unknown>();

  constructor(settings: DailySummarySettings = {}) {
    this.#settings = settings;
  }

  async execute(context: TaskContext = {}): Promise<TaskResult> {
    const { source, clock = systemClock, always = true } = this.#settings;
    const memory = memoryOf(context, this.#own);
    const now = clock.wall();
    const last = await memory.get("until");
    const since = typeof last === "number" ? last : now - 24 * HOUR;
    const completed = await fromSource(context, source, (tasks, abort) => tasks.completedSince(since, abort));
    if (completed === "no-source" && !always) return NO_SOURCE;
    const { message, until, completions, earnings } = summarise(
      completed === "no-source" ? [] : completed,
      since,
      now,
    );
    // What was completed while there was no source to ask is counted when there is one again.
    if (completed !== "no-source") await memory.set("until", until);
    return { shouldNotify: true, message, metadata: { completions, earnings, since } };
  }
}

/** Tells of deadlines that come close and of disputes, once each, and again only when it gets worse. */
export class PortfolioMonitorAction implements HeartbeatAction<TaskContext> {
  readonly name = "portfolio-monitor";
  readonly description = "tells of your tasks whose deadline comes close, and of disputes";
  readonly #settings: PortfolioMonitorSettings;
  readonly #own = new Map<string, unknown>();

  constructor(settings: PortfolioMonitorSettings = {}) {
    const { thresholdHours = 2 } = settings;
    if (!(thresholdHours > 0))
      throw badSetting(this.name, "thresholdHours", thresholdHours, "a number of hours");
    this.#settings = settings;
  }

  async execute(context: TaskContext = {}): Promise<TaskResult> {
    const { source, clock = systemClock, thresholdHours } = this.#settings;
    const held = await fromSource(context, source, async (tasks, abort) => ({
      mine: await tasks.mine(abort),
      disputes: await tasks.disputes(abort),
    }));
    if (held === "no-source") return NO_SOURCE;
    const memory = memoryOf(context, this.#own);
    const threshold = thresholdHours === undefined ? undefined : thresholdHours * HOUR;
    const found = alerts(await memory.get("alerts"), held, clock.wall(), threshold);
    await memory.set("alerts", found.memory);
    if (found.alerts.length === 0) return QUIET;
    return {
      shouldNotify: true,
      message: found.alerts.map(({ message }) => message).join("\n"),
      metadata: { alerts: found.alerts.map(({ task, kind }) => ({ id: task, kind })) },
    };
  }
}

/** Asks the source; where there is none, that is no failure but a reason. */
async function fromSource<Asked, Answer>(
  { runtime, abort = NEVER }: TaskContext,
  given: Asked | undefined,
  ask: (tasks: Asked, abort: AbortSignal) => Promise<Answer>,
): Promise<Answer | "no-source"> {
  const tasks = given ?? (runtime as { readonly tasks?: TaskSource & Asked } | undefined)?.tasks;
  if (tasks === undefined) return "no-source";
  try {
    return await ask(tasks, abort);
  } catch (error) {
    if (error instanceof TaskSourceError && error.code === "no-source") return "no-source";
    throw error;
  }
}

/** The memory of a program's session may answer at once or later. */
interface Memory {
  get(key: string): unknown;
  set(key: string, value: unknown): unknown;
}

function memoryOf({ session }: TaskContext, own: Memory): Memory {
  const memory = (session as { readonly memory?: Partial<Memory> } | undefined)?.memory;
  const isThere = typeof memory?.get === "function" && typeof memory.set === "function";
  return isThere ? (memory as Memory) : own;
}

function badSetting(action: string, name: string, value: unknown, right: string): ActionError {
  return new ActionError("bad-option", `action ${action}: ${name} is ${String(value)}; expected ${right}`);
}
