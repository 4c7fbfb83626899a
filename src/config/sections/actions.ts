import * as z from "zod";
import { MINUTE } from "../../core/duration.ts";
import { ALL_CAPABILITIES, readCapabilities } from "../../core/task/capabilities.ts";
import { readUint64, UINT64_FORM } from "../../core/task/uint64.ts";
import { extraEnvironment } from "../../ports/extra-environment.ts";
import { TASK_SCHEDULES } from "../../schedule/built-in.ts";
import type { ActionOptions } from "../../schedule/engine/options.ts";
import { channels, checkSchedule, duration, mapping, problemsOf, text, timezone, yesNo } from "./kit.ts";
import { hours } from "./policy.ts";

const amount = z.unknown().transform((value, context) => {
  const read = readUint64(value);
  if (read !== undefined) return read;
  context.addIssue({ code: "custom", message: UINT64_FORM });
  return z.NEVER;
});

const mask = z.unknown().transform((value, context) => {
  const read = readCapabilities(value);
  if ("mask" in read) return read.mask;
  context.addIssue({ code: "custom", message: read.problem.expected });
  return z.NEVER;
});

const NO_SETTINGS = z.strictObject({}, { error: "no settings" });

/** What the built-in actions can be told, by their names. */
export const BUILT_IN = {
  "task-scan": mapping({
    minReward: amount.optional().transform((value) => value ?? 0n),
    capabilities: mask.optional().transform((value) => value ?? ALL_CAPABILITIES),
  }),
  "daily-summary": NO_SETTINGS,
  "portfolio-monitor": mapping({
    thresholdHours: z.number({ error: "a number of hours" }).positive("a number of hours").optional(),
  }),
  "tick-submit": NO_SETTINGS,
  "tick-check": NO_SETTINGS,
  issues: NO_SETTINGS,
  digest: mapping({
    hours: z
      .number({ error: "a number of hours" })
      .positive("a number of hours")
      .max(744, "at most 744 hours")
      .optional(),
    always: yesNo.optional(),
  }),
} as const;

export type BuiltIn = keyof typeof BUILT_IN;

export function isBuiltIn(name: string): name is BuiltIn {
  return Object.hasOwn(BUILT_IN, name);
}

/** When each runs if nobody says otherwise. */
export const BUILT_IN_SCHEDULES: Readonly<Record<BuiltIn, string>> = {
  ...TASK_SCHEDULES,
  "tick-submit": "0 6 1 * *",
  "tick-check": "0 6 4 * *",
  issues: "* * * * *",
  digest: "0 8 * * *",
};

/**
 * Months of ticks are those of UTC; probes, pushes and a slow forge take their time; and the third failure of what runs
 * once a month would be told too late.
 */
export const BUILT_IN_OPTIONS: Partial<Record<BuiltIn, ActionOptions>> = {
  "tick-submit": { timezone: "UTC", timeout: 30 * MINUTE, tellAfter: 1 },
  "tick-check": { timezone: "UTC", timeout: 30 * MINUTE, tellAfter: 1 },
  issues: { timeout: 10 * MINUTE },
};

const PROGRAM = "a program";
const ACTION_NAME = "a name of up to 64 letters, digits, - and _";

const command = mapping({
  argv: z
    .tuple([text(PROGRAM).min(1, PROGRAM)], text("text"), { error: "a list: a program and its arguments" })
    .describe("a program and its arguments; no shell reads them"),
  cwd: text("a path").describe("the folder in which it runs").optional(),
  ...extraEnvironment,
});

const webhook = mapping({
  url: z
    .url({ protocol: /^https?$/, error: "an address such as https://example.org/wake" })
    .describe("the address that gets a POST"),
  tokenEnv: text("the name of an environment variable")
    .describe("holds the token, which is sent as Bearer")
    .optional(),
});

const positive = z.int("a whole number").positive("a number over 0");

const action = mapping({
  name: text(ACTION_NAME)
    .regex(/^[-\w]{1,64}$/, ACTION_NAME)
    .describe(
      "its name; task-scan, daily-summary, portfolio-monitor, tick-submit, tick-check and issues are built in",
    ),
  schedule: text("a cron expression").describe("when it runs, as cron").optional(),
  every: duration.describe("how often it runs").optional(),
  timezone: timezone
    .describe("the time zone of its schedule and its hours; this host's unless given")
    .optional(),
  enabled: yesNo.describe("false stops it").optional(),
  jitter: duration.describe("delays each run by a random time up to this").optional(),
  activeHours: hours("08:00-18:00").describe("the hours in which it runs").optional(),
  maxPerHour: positive.describe("the most runs within an hour").optional(),
  missed: z
    .enum(["once", "skip", "all"], { error: "once, skip or all" })
    .describe("whether missed runs are made up for: once, not at all, or all of them")
    .optional(),
  timeout: duration.describe("how long a run may take").optional(),
  tellAfter: positive.describe("failures in a row before Rollcall sends a message").optional(),
  channels: channels.describe("the channels for its messages; all of them unless given").optional(),
  config: z
    .record(z.string(), z.unknown(), { error: "a mapping of keys to values" })
    .describe("settings of the action itself")
    .optional(),
  command: command.describe("a program to run").optional(),
  webhook: webhook.describe("an address to call").optional(),
  module: text("the path of an ES module")
    .describe("an ES module whose default export is the action, or makes it from config")
    .optional(),
}).superRefine((value, context) => {
  const add = problemsOf(context);
  const { name, schedule, every, config } = value;
  const kinds = [value.command, value.webhook, value.module].filter((kind) => kind !== undefined);
  if (isBuiltIn(name)) {
    if (kinds.length > 0) add("name", `another name: ${name} is built in`);
    const { error } = BUILT_IN[name].safeParse(config ?? {});
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: "custom", path: ["config", ...path], message });
  } else {
    if (kinds.length !== 1) add("name", "a built-in action, or one of command, webhook and module beside it");
    if (schedule === undefined && every === undefined) add("schedule", "schedule or every");
  }
  checkSchedule(value, add);
});

/** Scheduled actions of the daemon: the key is `heartbeat`. */
export const actions = mapping({
  enabled: yesNo
    .describe(
      "false stops task-scan, daily-summary, portfolio-monitor and your own actions; the others stop by their own enabled: false",
    )
    .default(true),
  agent: text("the id of an agent")
    .describe("the agent whose tasks are watched; tasks of all agents unless given")
    .optional(),
  actions: z
    .array(action, { error: "a list of actions" })
    .describe("your own actions, and changes to the built-in ones")
    .default([]),
});
