import * as z from "zod";
import { AGENT_ID, DEFAULT_EVERY, DEFAULT_GRACE } from "../../core/agent.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";
import { formatDuration, parseDuration } from "../../core/duration.ts";
import { cronProblem } from "../../core/schedule/cron.ts";
import { ladderSettings } from "../../recoveries/settings.ts";
import { SIGNALS } from "../../signals/settings.ts";

/** Every message says what would be right: it is shown after "expected". */
const DURATION = "a duration such as 15m, 1h30m or 90s";

const duration = z
  .string({ error: DURATION })
  .meta({ description: DURATION, examples: ["15m"] })
  .transform((text, context) => {
    const length = parseDuration(text);
    if (length !== undefined) return length;
    context.addIssue({ code: "custom", message: DURATION });
    return z.NEVER;
  });

const text = (what: string) => z.string({ error: what });
const yesNo = z.boolean({ error: "true or false" });
const object = "a mapping of keys to values";

const agent = z
  .strictObject(
    {
      id: text(AGENT_ID_FORM)
        .regex(AGENT_ID, AGENT_ID_FORM)
        .meta({ description: "what the agent is called, everywhere" }),
      name: text("text").meta({ description: "what people call it" }).optional(),
      group: text("text")
        .meta({ description: "who it is like: they share what is normal, and a common cause" })
        .optional(),
      every: duration.meta({ description: "how often it promises to beat" }).optional(),
      schedule: text("a cron expression")
        .meta({ description: "when it promises to beat, as cron" })
        .optional(),
      timezone: text("a time zone such as Europe/Berlin").meta({ description: "of the schedule" }).optional(),
      grace: duration.meta({ description: "how much later still counts as alive" }).optional(),
      stall: z
        .union([z.literal("auto"), duration], { error: `auto, or ${DURATION}` })
        .meta({ description: "how long it may be without progress: learnt (auto), or fixed" })
        .optional(),
      log: SIGNALS.log.meta({ description: "its session log" }).optional(),
      tmux: SIGNALS.tmux.meta({ description: "its tmux session or pane" }).optional(),
      process: SIGNALS.process.meta({ description: "its process" }).optional(),
      transcript: SIGNALS.transcript.meta({ description: "the transcript of a coding agent" }).optional(),
      http: SIGNALS.http.meta({ description: "an address at which it must answer" }).optional(),
      systemd: SIGNALS.systemd.meta({ description: "its systemd unit" }).optional(),
      recover: ladderSettings
        .meta({ description: "what is done when it is in trouble, step by step" })
        .optional(),
    },
    { error: object },
  )
  .superRefine((value, context) => {
    const { every, schedule, timezone } = value;
    if (every !== undefined && schedule !== undefined) {
      context.addIssue({ code: "custom", path: ["schedule"], message: "either every or schedule, not both" });
    }
    if (timezone !== undefined && schedule === undefined) {
      context.addIssue({ code: "custom", path: ["timezone"], message: "a schedule beside a timezone" });
    }
    if (schedule === undefined) return;
    const zone = timezone ?? "UTC";
    if (!isTimezone(zone)) {
      context.addIssue({ code: "custom", path: ["timezone"], message: "a time zone such as Europe/Berlin" });
      return;
    }
    const problem = cronProblem(schedule, zone);
    if (problem === undefined) return;
    context.addIssue({ code: "custom", path: ["schedule"], message: `a cron expression (${problem})` });
  });

function isTimezone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const defaults = z.strictObject(
  {
    every: duration.prefault(formatDuration(DEFAULT_EVERY)),
    grace: duration.prefault(formatDuration(DEFAULT_GRACE)),
    recover: ladderSettings
      .meta({ description: "what is done for agents that name no steps; [] is nothing" })
      .default([]),
  },
  { error: object },
);

const retention = z.strictObject(
  {
    beats: duration.meta({ description: "how long beats are kept" }).prefault("30d"),
    flips: duration.meta({ description: "how long flips are kept" }).prefault("400d"),
  },
  { error: object },
);

/** A length in milliseconds or as people write it. */
const millisOrDuration = z.union([z.int().positive(), duration], { error: `milliseconds, or ${DURATION}` });

const telegram = z.strictObject(
  {
    chat: z.union([z.string(), z.int()], { error: "the id of a chat" }),
    tokenEnv: text("the name of an environment variable").default("TELEGRAM_BOT_TOKEN"),
    tokenFile: text("the path of a file").optional(),
    url: text("an address such as https://api.telegram.org").default("https://api.telegram.org"),
  },
  { error: object },
);

const heartbeat = z.strictObject(
  {
    every: duration.prefault(formatDuration(DEFAULT_EVERY)),
    grace: duration.prefault(formatDuration(DEFAULT_GRACE)),
    ping: z
      .url({ protocol: /^https?$/, error: "an address such as https://example.org/ping/…" })
      .meta({ description: "another watcher that hears of ours: another Rollcall, Healthchecks" })
      .optional(),
    telegram: telegram.meta({ description: "a chat that hears of it" }).optional(),
  },
  { error: object },
);

const daemon = z.strictObject(
  {
    pidFile: text("a path")
      .meta({ description: "a second PID file, besides the one in the home" })
      .optional(),
    watchdogInterval: millisOrDuration
      .meta({ description: "how long the loop may hang before systemd restarts the daemon" })
      .default(60_000),
    heartbeat: heartbeat.meta({ description: "the daemon's own beats" }).prefault({}),
  },
  { error: object },
);

const DEFAULT_LISTEN = "127.0.0.1:7766";

/** The whole config file. Nothing in it is required. */
export const configSchema = z
  .strictObject(
    {
      listen: text("an address such as 127.0.0.1:7766")
        .meta({ description: "where beats and readers come in; port 0 takes a free one" })
        .default(DEFAULT_LISTEN),
      livenessInterval: duration
        .meta({ description: "how often the traces of agents are looked at" })
        .prefault("10s"),
      autoRegister: yesNo.meta({ description: "whether a first beat registers its agent" }).default(true),
      defaults: defaults.meta({ description: "for agents that do not say otherwise" }).prefault({}),
      retention: retention.prefault({}),
      daemon: daemon.prefault({}),
      agents: z.array(agent, { error: "a list of agents" }).default([]),
    },
    { error: object },
  )
  .superRefine(({ agents }, context) => {
    const seen = new Set<string>();
    for (const [index, { id }] of agents.entries()) {
      if (seen.has(id)) {
        context.addIssue({
          code: "custom",
          path: ["agents", index, "id"],
          message: "an id that is used once",
        });
      }
      seen.add(id);
    }
  });

export type ConfigFile = z.output<typeof configSchema>;

/** The JSON Schema of the config file, for editors. */
export function configJsonSchema(): object {
  return { title: "Rollcall configuration", ...z.toJSONSchema(configSchema, { io: "input" }) };
}
