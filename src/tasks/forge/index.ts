import * as z from "zod";
import { sayProblem } from "../../core/beat-input.ts";
import { readCapabilities } from "../../core/task/capabilities.ts";
import { parseExactJson } from "../../core/task/exact-json.ts";
import type { Task } from "../../core/task/task.ts";
import { readTask } from "../../core/task/task-input.ts";
import { readUint64, UINT64_FORM } from "../../core/task/uint64.ts";
import type { Forge, ForgeIssue } from "../../ports/forge.ts";
import { mapping } from "../../ports/setting-forms.ts";
import { TaskSourceError } from "../../ports/task-source.ts";
import { untilAborted } from "../../system/until-aborted.ts";
import type { TaskAdapter } from "../kit/adapter.ts";
import type { TaskList } from "../kit/listed.ts";

const LABEL = "a label of the repository, such as bounty";

/** How the config names issues as tasks: those of its forge that are open and have a label. */
const forgeTaskSettings = mapping({
  label: z
    .string({ error: LABEL })
    .regex(/^[^\s,]([^,\n]*[^\s,])?$/, LABEL)
    .meta({ description: "the open issues with this label are tasks" }),
}).meta({ description: "issues of the forge by their label" });

export const forgeSource: TaskAdapter<"forge", typeof forgeTaskSettings> = {
  kind: "forge",
  settings: forgeTaskSettings,
  open: ({ label }, { forge }) => forgeTasks(forge(), label),
};

/** What more there is to say of a task stands in its issue, in a block of code that is called `task`. */
const BLOCK = /^```task[ \t]*\n(.*?)^```[ \t]*$/ms;

/** The open issues with a label, as tasks. What they pay and require is said by labels, which not everybody may set. */
export function forgeTasks(forge: Forge | { readonly problem: string }, label: string): TaskList {
  const name = "problem" in forge ? "the forge" : forge.name;
  return {
    name,
    async list(abort) {
      if ("problem" in forge) throw new TaskSourceError("no-token", forge.problem);
      const listed = abort.aborted ? undefined : await untilAborted(forge.open(label), abort, undefined);
      if (listed === undefined) throw new TaskSourceError("aborted", `${name}: reading was stopped`);
      if (listed.outcome === "refused") throw new TaskSourceError("refused", listed.problem);
      if (listed.outcome === "retry") {
        throw new TaskSourceError(listed.after === undefined ? "unavailable" : "limited", listed.problem);
      }
      const found = listed.issues.map((issue) => ({ issue, task: taskIn(issue, name) }));
      return unique(found, name);
    },
  };
}

function taskIn(issue: ForgeIssue, name: string): Task {
  const place = `${name}: issue #${issue.number}`;
  const said = blockIn(issue, place);
  const value = {
    id: issue.number,
    creator: "forge",
    description: issue.title,
    ...said,
    capabilities: capabilitiesIn(issue, place),
    reward: rewardIn(issue, place),
  };
  const read = readTask(value, { path: "", strict: true });
  if ("task" in read) return read.task;
  throw new TaskSourceError("bad-task", `${place}: ${sayProblem(read.problem)}`);
}

function blockIn({ body }: ForgeIssue, place: string): Record<string, unknown> {
  const text = BLOCK.exec(body)?.[1];
  if (text === undefined) return {};
  const wrong = (expected: string) => new TaskSourceError("bad-task", `${place}: block task: ${expected}`);
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw wrong('expected JSON such as {"deadline": 1767225600}');
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("expected an object");
  if ("capabilities" in value || "reward" in value)
    throw wrong("expected capabilities and reward as labels, such as cap:compute and reward:5");
  return value as Record<string, unknown>;
}

function capabilitiesIn({ labels }: ForgeIssue, place: string): bigint {
  let mask = 0n;
  for (const label of valuesOf(labels, "cap")) {
    const read = readCapabilities(/^\d/.test(label) ? label : [label], "label cap");
    if ("mask" in read) mask |= read.mask;
    else
      throw new TaskSourceError(
        "bad-task",
        `${place}: label cap:${label}: expected ${read.problem.expected}`,
      );
  }
  return mask;
}

function rewardIn({ labels }: ForgeIssue, place: string): bigint {
  const [label = "0", ...more] = valuesOf(labels, "reward");
  const reward = readUint64(label);
  if (reward !== undefined && more.length === 0) return reward;
  const expected = more.length > 0 ? "one label reward" : UINT64_FORM;
  throw new TaskSourceError("bad-task", `${place}: label reward:${label}: expected ${expected}`);
}

function valuesOf(labels: readonly string[], key: string): string[] {
  const head = `${key}:`;
  return labels.flatMap((label) =>
    label.toLowerCase().startsWith(head) ? label.slice(head.length).trim() : [],
  );
}

function unique(found: readonly { issue: ForgeIssue; task: Task }[], name: string): readonly Task[] {
  const seen = new Map<string, number>();
  for (const { issue, task } of found) {
    const twin = seen.get(task.id);
    if (twin !== undefined) {
      const problem = `expected an id that is used once, not that of issue #${twin}`;
      throw new TaskSourceError("bad-task", `${name}: issue #${issue.number}: id: ${problem}`);
    }
    seen.set(task.id, issue.number);
  }
  return found.map(({ task }) => task);
}
