import * as z from "zod";
import { MINUTE } from "../../core/duration.ts";
import { ALL_CAPABILITIES, readCapabilities } from "../../core/task/capabilities.ts";
import { readUint64, UINT64_FORM } from "../../core/task/uint64.ts";
import { extraEnvironment } from "../../ports/extra-environment.ts";
import { TASK_SCHEDULES } from "../../schedule/built-in.ts";
import type { ActionOptions } from "../../schedule/engine/options.ts";

const object = "a mapping of keys to values";

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

/** What the built-in actions can be told, by their names. */
export const BUILT_IN = {
  "task-scan": z.strictObject(
    {
      minReward: amount.optional().transform((value) => value ?? 0n),
      capabilities: mask.optional().transform((value) => value ?? ALL_CAPABILITIES),
    },
    { error: object },
  ),
  "daily-summary": z.strictObject({}, { error: "no settings" }),
  "portfolio-monitor": z.strictObject(
    { thresholdHours: z.number({ error: "a number of hours" }).positive("a number of hours").optional() },
    { error: object },
  ),
  "tick-submit": z.strictObject({}, { error: "no settings" }),
  "tick-check": z.strictObject({}, { error: "no settings" }),
  issues: z.strictObject({}, { error: "no settings" }),
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

export const commandSettings = z.strictObject(
  {
    argv: z
      .tuple([z.string({ error: "a program" }).min(1, "a program")], z.string({ error: "text" }), {
        error: "a list: a program and its arguments",
      })
      .meta({ description: "a program and its arguments; no shell reads them" }),
    cwd: z.string({ error: "a path" }).meta({ description: "the folder in which it runs" }).optional(),
    ...extraEnvironment,
  },
  { error: object },
);

export const webhookSettings = z.strictObject(
  {
    url: z
      .url({ protocol: /^https?$/, error: "an address such as https://example.org/wake" })
      .meta({ description: "the address that gets a POST" }),
    tokenEnv: z
      .string({ error: "the name of an environment variable" })
      .meta({ description: "holds the token, which is sent as Bearer" })
      .optional(),
  },
  { error: object },
);
