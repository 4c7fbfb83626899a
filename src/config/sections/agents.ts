import * as z from "zod";
import { AGENT_ID, DEFAULT_EVERY, DEFAULT_GRACE } from "../../core/agent.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";
import { formatDuration } from "../../core/duration.ts";
import { NEWCOMER_LIMITS } from "../../core/newcomer-limits.ts";
import { readDollars, readTokens } from "../../core/usage/budget.ts";
import { ladderSettings } from "../../recoveries/settings.ts";
import { signalShape } from "../../signals/settings.ts";
import { channel, checkSchedule, DURATION, duration, mapping, problemsOf, text, timezone } from "./kit.ts";

const REGISTRY = "a path such as config/agent-registry.json";
const SESSIONS = "a pattern of files such as ~/.cistern/session-logs/*.log";
const COUNT = "a whole number from 0 up";

const DOLLARS = "an amount of US dollars such as 20 USD";
const TOKENS = "a number of tokens such as 50M or 200k";

/** Text or a number that `read` understands. */
const amount = (read: (written: unknown) => number | undefined, form: string) =>
  z.union([z.string(), z.number()], { error: form }).transform((written, context) => {
    const found = read(written);
    if (found !== undefined) return found;
    context.addIssue({ code: "custom", message: form });
    return z.NEVER;
  });

const budget = mapping({
  day: amount(readDollars, DOLLARS).describe("how much it may cost on one day, such as 20 USD").optional(),
  tokens: amount(readTokens, TOKENS)
    .describe("how many tokens it may use on one day, such as 50M")
    .optional(),
});

const every = duration.prefault(formatDuration(DEFAULT_EVERY));
const grace = duration.prefault(formatDuration(DEFAULT_GRACE));

/** One item of `agents`: an agent, or where more of them are found. */
export const agent = mapping({
  id: text(AGENT_ID_FORM)
    .regex(AGENT_ID, AGENT_ID_FORM)
    .describe("the name of the agent everywhere; use registry or sessions in its place for many agents")
    .optional(),
  registry: text(REGISTRY)
    .min(1, REGISTRY)
    .describe("a registry: its active agents join; the keys beside it are their defaults")
    .optional(),
  sessions: text(SESSIONS)
    .regex(/[*?]/, SESSIONS)
    .describe("session logs: every file that matches is an agent; the keys beside it are their defaults")
    .optional(),
  name: text("text").describe("the name that people use").optional(),
  group: text("text").describe("its group: members share what is normal, and an outage").optional(),
  after: z
    .array(text(AGENT_ID_FORM).regex(AGENT_ID, AGENT_ID_FORM), {
      error: "a list of agents such as [gateway]",
    })
    .describe("the agents without which it cannot work: while one of them is in trouble, only that is told")
    .optional(),
  every: duration.describe("how often it promises to beat").optional(),
  schedule: text("a cron expression").describe("when it promises to beat, as cron").optional(),
  timezone: timezone.describe("the time zone of the schedule").optional(),
  grace: duration.describe("how much later a beat still counts as on time").optional(),
  stall: z
    .union([z.literal("auto"), duration], { error: `auto, or ${DURATION}` })
    .describe("how long it may go without progress: learnt (auto), or fixed")
    .optional(),
  ...signalShape,
  heartbeat: mapping({
    to: channel.describe("the channel that gets the message"),
    every: duration
      .describe("how often")
      .refine((ms) => ms > 0, DURATION)
      .prefault("15m"),
  })
    .describe("sends its name, cycle, last action and status to a channel, again and again")
    .optional(),
  recover: ladderSettings.describe("the steps that Rollcall takes when it is in trouble").optional(),
  budget: budget.describe("what it may use on one day; more opens an incident").optional(),
}).superRefine((item, context) => {
  const add = problemsOf(context);
  const [first, second] = (["id", "registry", "sessions"] as const).filter((key) => item[key] !== undefined);
  if (first === undefined) add("id", `${AGENT_ID_FORM}; or registry or sessions in its place`);
  if (second !== undefined) add(second, "only one of id, registry and sessions");
  if (item.sessions !== undefined && item.log !== undefined)
    add("log", "no log beside sessions: each file that matches is the log of its agent");
  if (item.timezone !== undefined && item.schedule === undefined)
    add("timezone", "a schedule beside a timezone");
  checkSchedule(item, add);
});

export const defaults = mapping({
  every: every.describe("how often agents promise to beat"),
  grace: grace.describe("how much later a beat may come"),
  recover: ladderSettings.describe("the steps for agents that name none; [] is no step").default([]),
  budget: budget.describe("what agents that name no budget may use on one day").optional(),
});

const count = z.int({ error: COUNT }).min(0, COUNT);

export const newcomers = mapping({
  max: count
    .describe("how many agents on the roll may have registered themselves without a token")
    .default(NEWCOMER_LIMITS.max),
  perMinute: count.describe("how many of them may join within a minute").default(NEWCOMER_LIMITS.perMinute),
});

const telegram = mapping({
  chat: z.union([z.string(), z.int()], { error: "the id of a chat" }),
  tokenEnv: text("the name of an environment variable").default("TELEGRAM_BOT_TOKEN"),
  tokenFile: text("the path of a file").optional(),
  url: text("an address such as https://api.telegram.org").default("https://api.telegram.org"),
});

/** The daemon is an agent of its own roll. */
export const daemon = mapping({
  pidFile: text("a path").describe("a second PID file, besides the one in the home").optional(),
  watchdogInterval: z
    .union([z.int().positive(), duration], { error: `milliseconds, or ${DURATION}` })
    .describe("how long the event loop may hang before systemd restarts the daemon")
    .default(60_000),
  heartbeat: mapping({
    every: every.describe("how often it beats"),
    grace: grace.describe("how much later a beat may come"),
    ping: z
      .url({ protocol: /^https?$/, error: "an address such as https://example.org/ping/…" })
      .describe("the address of another watcher that gets the beats: another Rollcall, Healthchecks")
      .optional(),
    to: channel.describe("the channel that gets a message for each beat").optional(),
    telegram: telegram
      .meta({ description: "the old form of to: a chat that gets a message for each beat", deprecated: true })
      .optional(),
  })
    .describe("the daemon's own beats")
    .prefault({}),
});
