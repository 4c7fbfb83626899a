import type * as z from "zod";
import type { Adapter } from "../../ports/adapter.ts";
import type { Forge } from "../../ports/forge.ts";
import type { TaskList } from "./listed.ts";

export interface TaskListDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A path of the settings as an absolute one. */
  readonly absolute: (path: string) => string;
  /** The forge whose issues are tasks, or why there is none. */
  readonly forge: () => Forge | { readonly problem: string };
}

/** One kind of place that lists tasks. */
export type TaskAdapter<Kind extends string, Settings extends z.ZodType> = Adapter<
  Kind,
  Settings,
  TaskListDeps,
  TaskList
>;
