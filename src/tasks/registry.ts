import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type * as z from "zod";
import type { Instant } from "../core/duration.ts";
import type { Adapter } from "../ports/adapter.ts";
import type { TaskSource } from "../ports/task-source.ts";
import { fileSource } from "./file/index.ts";
import { forgeSource } from "./forge/index.ts";
import { httpSource } from "./http/index.ts";
import type { TaskListDeps } from "./kit/adapter.ts";
import { listedTasks, type TaskList } from "./kit/listed.ts";

/** Every kind of place that lists tasks. */
export const TASK_SOURCES = [fileSource, httpSource, forgeSource] as const;

export interface TaskSourceDeps extends Pick<TaskListDeps, "env"> {
  /** Rollcall's home: paths that are not absolute are in it. */
  readonly home: string;
  /** The agent whose tasks are "mine"; undefined: whatever anybody took is ours. */
  readonly me: string | undefined;
  readonly now?: () => Instant;
  /** The forge whose issues are tasks, or why there is none. */
  readonly forge?: TaskListDeps["forge"];
}

/** Opens the source that the config names; the file tasks.json in the home if it names none. Nothing is read yet. */
export function openTaskSource(
  settings: Readonly<Record<string, unknown>>,
  { home, me, env, now = Date.now, forge = () => ({ problem: "no forge is configured" }) }: TaskSourceDeps,
): TaskSource {
  const absolute = (path: string) =>
    path.startsWith("~/") ? join(env.HOME || homedir(), path.slice(2)) : resolve(home, path);
  const sources: readonly Adapter<string, z.ZodType, TaskListDeps, TaskList>[] = TASK_SOURCES;
  const source = sources.find(({ kind }) => settings[kind] !== undefined) ?? fileSource;
  const checked = settings[source.kind] ?? source.settings.parse({});
  return listedTasks(source.open(checked, { env, absolute, forge }), { me, now });
}
