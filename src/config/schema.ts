import * as z from "zod";
import { channelsSettings } from "../channels/settings.ts";
import { AGENT_ID, DEFAULT_EVERY, DEFAULT_GRACE } from "../core/agent.ts";
import { AGENT_ID_FORM } from "../core/beat-input.ts";
import { ATTEMPT } from "../core/delivery/retry.ts";
import { formatDuration, parseDuration } from "../core/duration.ts";
import { GROUP, HOLD, REMIND_EVERY } from "../core/incident/policy.ts";
import { STATES, type State } from "../core/liveness/state.ts";
import { NEWCOMER_LIMITS } from "../core/newcomer-limits.ts";
import { parseActiveHours } from "../core/schedule/active-hours.ts";
import { cronProblem } from "../core/schedule/cron.ts";
import { ladderSettings } from "../recoveries/settings.ts";
import { signalShape } from "../signals/settings.ts";
import { TRANSCRIPT_FOLDERS } from "../signals/transcript/presets.ts";
import { taskSourceSettings } from "../tasks/settings.ts";
import { BUILT_IN, commandSettings, isBuiltIn, webhookSettings } from "./sections/actions.ts";
import { hubSettings, tlsSettings } from "./sections/hub.ts";
import { issueSettings } from "./sections/issues.ts";
import { tickSettings } from "./sections/ticks.ts";

/** Every message says what would be right: it is shown after "expected". */
const TROUBLE = "dead, stalled, failing, waiting, limited";
const DURATION = "a duration such as 15m, 1h30m or 90s";

const REGISTRY = "a path such as config/agent-registry.json";
const SESSIONS = "a pattern of files such as ~/.cistern/session-logs/*.log";

const FOLDER = "a folder such as ~/logs or /var/log/agents";

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
        .meta({ description: "what the agent is called, everywhere; or registry or sessions in its place" })
        .optional(),
      registry: text(REGISTRY)
        .min(1, REGISTRY)
        .meta({ description: "a registry, whose active agents join; the keys beside it are their defaults" })
        .optional(),
      sessions: text(SESSIONS)
        .regex(/[*?]/, SESSIONS)
        .meta({
          description:
            "session logs: every file that matches is an agent; the keys beside it are their defaults",
        })
        .optional(),
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
      ...signalShape,
      heartbeat: z
        .strictObject(
          {
            to: text("the name of a channel").meta({ description: "the channel that is told" }),
            every: duration
              .meta({ description: "how often" })
              .refine((ms) => ms > 0, DURATION)
              .prefault("15m"),
          },
          { error: object },
        )
        .meta({ description: "tells a channel its name, cycle, last action and status, again and again" })
        .optional(),
      recover: ladderSettings
        .meta({ description: "what is done when it is in trouble, step by step" })
        .optional(),
    },
    { error: object },
  )
  .superRefine((value, context) => {
    const { every, schedule, timezone } = value;
    const [first, second] = (["id", "registry", "sessions"] as const).filter(
      (key) => value[key] !== undefined,
    );
    if (first === undefined) {
      const message = `${AGENT_ID_FORM}; or registry or sessions in its place`;
      context.addIssue({ code: "custom", path: ["id"], message });
    }
    if (second !== undefined)
      context.addIssue({ code: "custom", path: [second], message: "only one of id, registry and sessions" });
    if (value.sessions !== undefined && value.log !== undefined) {
      const message = "no log beside sessions: each file that matches is the log of its agent";
      context.addIssue({ code: "custom", path: ["log"], message });
    }
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
    every: duration
      .meta({ description: "how often agents promise to beat" })
      .prefault(formatDuration(DEFAULT_EVERY)),
    grace: duration
      .meta({ description: "how much later a beat may come" })
      .prefault(formatDuration(DEFAULT_GRACE)),
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

const count = z.int({ error: "a whole number from 0 up" }).min(0, "a whole number from 0 up");

const newcomers = z.strictObject(
  {
    max: count
      .meta({ description: "how many agents on the roll may have registered themselves without a token" })
      .default(NEWCOMER_LIMITS.max),
    perMinute: count
      .meta({ description: "how many of them may join within a minute" })
      .default(NEWCOMER_LIMITS.perMinute),
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
    every: duration.meta({ description: "how often it beats" }).prefault(formatDuration(DEFAULT_EVERY)),
    grace: duration
      .meta({ description: "how much later a beat may come" })
      .prefault(formatDuration(DEFAULT_GRACE)),
    ping: z
      .url({ protocol: /^https?$/, error: "an address such as https://example.org/ping/…" })
      .meta({ description: "another watcher that hears of ours: another Rollcall, Healthchecks" })
      .optional(),
    to: text("the name of a channel")
      .meta({ description: "the channel that is told of each beat" })
      .optional(),
    telegram: telegram
      .meta({ description: "the old form of to: a chat that is told of each beat", deprecated: true })
      .optional(),
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

const states = z.array(z.enum(Object.keys(STATES) as [State, ...State[]], { error: `one of ${TROUBLE}` }), {
  error: `a list of states, such as ${TROUBLE}`,
});

const places = z.array(text("the name of a channel"), { error: "a list of channels" });

const route = z.strictObject(
  {
    agents: text("an agent, or a pattern with *")
      .meta({ description: "the agents that the route is for: an id, or a pattern with *" })
      .default("*"),
    states: states.meta({ description: "which states are told" }).optional(),
    after: duration.meta({ description: "how long it must last before it is told" }).optional(),
    to: places.meta({ description: "the channels; all of them if there are none here" }).optional(),
  },
  { error: object },
);

const policy = z.strictObject(
  {
    tell: z
      .array(route, { error: "a list of routes" })
      .meta({ description: "who is told of what; the first route that matches decides" })
      .optional(),
    hold: duration
      .meta({ description: "how long a silence is held back, to see whether many fell silent at once" })
      .prefault(formatDuration(HOLD)),
    group: duration
      .meta({ description: "what is to be told to one channel within so long goes out as one message" })
      .prefault(formatDuration(GROUP)),
    timeout: duration
      .meta({ description: "how long a channel may take for a message before it is tried again" })
      .prefault(formatDuration(ATTEMPT)),
    remind: duration
      .meta({ description: "how often what nobody acknowledged is told again" })
      .prefault(formatDuration(REMIND_EVERY)),
    escalate: z
      .strictObject(
        {
          after: duration.meta({ description: "how long nobody may acknowledge an incident" }),
          to: places.meta({ description: "the channels that are told then" }),
        },
        { error: object },
      )
      .meta({ description: "who is told if nobody acknowledges" })
      .optional(),
    quietHours: text("hours such as 22:00-07:00")
      .refine((hours) => parseActiveHours(hours, "UTC") !== undefined, "hours such as 22:00-07:00")
      .meta({ description: "when only what is critical is told" })
      .optional(),
    timezone: text("a time zone such as Europe/Berlin")
      .refine(isTimezone, "a time zone such as Europe/Berlin")
      .default(Intl.DateTimeFormat().resolvedOptions().timeZone)
      .meta({ description: "of the quiet hours" }),
  },
  { error: object },
);

const PACK = "the path of a rule pack such as packs/mine.yaml";
const ACTION_NAME = "a name of up to 64 letters, digits, - and _";

const action = z
  .strictObject(
    {
      name: text(ACTION_NAME)
        .regex(/^[-\w]{1,64}$/, ACTION_NAME)
        .meta({
          description:
            "what it is called; task-scan, daily-summary, portfolio-monitor, tick-submit, tick-check and issues are built in",
        }),
      schedule: text("a cron expression").meta({ description: "when it runs, as cron" }).optional(),
      every: duration.meta({ description: "at which pace it runs" }).optional(),
      timezone: text("a time zone such as Europe/Berlin")
        .refine(isTimezone, "a time zone such as Europe/Berlin")
        .meta({ description: "of its schedule and its hours; this host's unless given" })
        .optional(),
      enabled: yesNo.meta({ description: "false stops it" }).optional(),
      jitter: duration.meta({ description: "each run begins up to so much later" }).optional(),
      activeHours: text("hours such as 08:00-18:00")
        .refine((hours) => parseActiveHours(hours, "UTC") !== undefined, "hours such as 08:00-18:00")
        .meta({ description: "the hours in which it runs" })
        .optional(),
      maxPerHour: z
        .int("a whole number")
        .positive("a number over 0")
        .meta({ description: "how many runs an hour may have" })
        .optional(),
      missed: z
        .enum(["once", "skip", "all"], { error: "once, skip or all" })
        .meta({
          description: "whether runs that were missed are made up for: once, not at all, or all of them",
        })
        .optional(),
      timeout: duration.meta({ description: "how long a run may take" }).optional(),
      tellAfter: z
        .int("a whole number")
        .positive("a number over 0")
        .meta({ description: "failures in a row before somebody is told" })
        .optional(),
      channels: places.meta({ description: "where its messages go; everywhere unless given" }).optional(),
      config: z
        .record(z.string(), z.unknown(), { error: object })
        .meta({ description: "settings of the action itself" })
        .optional(),
      command: commandSettings.meta({ description: "a program to run" }).optional(),
      webhook: webhookSettings.meta({ description: "an address to call" }).optional(),
      module: text("the path of an ES module")
        .meta({ description: "an ES module whose default export is the action, or makes it from config" })
        .optional(),
    },
    { error: object },
  )
  .superRefine((value, context) => {
    const { name, schedule, every, timezone = "UTC", config } = value;
    const issue = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const kinds = [value.command, value.webhook, value.module].filter((kind) => kind !== undefined);
    if (isBuiltIn(name)) {
      if (kinds.length > 0) issue("name", `another name: ${name} is built in`);
      const read = BUILT_IN[name].safeParse(config ?? {});
      for (const { path, message } of read.error?.issues ?? [])
        context.addIssue({ code: "custom", path: ["config", ...path], message });
    } else {
      if (kinds.length !== 1)
        issue("name", "a built-in action, or one of command, webhook and module beside it");
      if (schedule === undefined && every === undefined) issue("schedule", "schedule or every");
    }
    if (schedule !== undefined && every !== undefined)
      issue("schedule", "either every or schedule, not both");
    const problem = schedule === undefined ? undefined : cronProblem(schedule, timezone);
    if (problem !== undefined) issue("schedule", `a cron expression (${problem})`);
  });

const actions = z.strictObject(
  {
    enabled: yesNo
      .meta({
        description:
          "false stops task-scan, daily-summary, portfolio-monitor and your own actions; the others stop by their own enabled: false",
      })
      .default(true),
    agent: text("the id of an agent")
      .meta({ description: "whose tasks are looked after; those that anybody took unless given" })
      .optional(),
    actions: z
      .array(action, { error: "a list of actions" })
      .meta({ description: "your own actions, and changes to the built-in ones" })
      .default([]),
  },
  { error: object },
);

const HOST_NAME = "a host name such as roll.example.org, without a port";
const hostNames = z.array(text(HOST_NAME).regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, HOST_NAME), {
  error: "a list of names",
});
const DEFAULT_LISTEN = "127.0.0.1:7766";

const access = z.strictObject(
  {
    unprovenBeats: yesNo
      .meta({ description: "whether programs on this machine may send beats without a token" })
      .default(true),
    folders: z
      .array(text(FOLDER).regex(/^(?:\/|~\/|~$)/, FOLDER), { error: `a list, each ${FOLDER}` })
      .meta({
        description: "where agents that are added over the API may have their files, besides the home's logs",
      })
      .default([...TRANSCRIPT_FOLDERS]),
  },
  { error: object },
);

/** The whole config file. Nothing in it is required. */
export const configSchema = z
  .strictObject(
    {
      listen: text("an address such as 127.0.0.1:7766")
        .meta({ description: "where beats and readers come in; port 0 takes a free one" })
        .default(DEFAULT_LISTEN),
      names: hostNames
        .meta({ description: "names besides localhost under which it may be asked, such as behind a proxy" })
        .default([]),
      access: access.meta({ description: "what others may do" }).prefault({}),
      livenessInterval: duration
        .meta({ description: "how often the traces of agents are looked at" })
        .prefault("10s"),
      packs: z
        .array(text(PACK).min(1, PACK), { error: `a list, each ${PACK}` })
        .meta({ description: "rules of your own for reading screens" })
        .default([]),
      autoRegister: z
        .union([yesNo, newcomers], { error: "true, false, or {max: 1000, perMinute: 60}" })
        .meta({
          description:
            "whether a first beat registers its agent; how many may do so without a token, at a time and a minute",
        })
        .default(true),
      defaults: defaults.meta({ description: "for agents that do not say otherwise" }).prefault({}),
      retention: retention.meta({ description: "how long history is kept" }).prefault({}),
      channels: channelsSettings.meta({ description: "where people are told" }).default({}),
      policy: policy.meta({ description: "who is told of what" }).prefault({}),
      heartbeat: actions.meta({ description: "scheduled actions of the daemon's own" }).prefault({}),
      tasks: taskSourceSettings.meta({ description: "where tasks come from" }).prefault({}),
      daemon: daemon.meta({ description: "the daemon itself" }).prefault({}),
      forge: issueSettings.meta({ description: "where issues are filed" }).optional(),
      hub: hubSettings
        .meta({ description: "the hub that this host reports to; on a hub, its own address" })
        .prefault({}),
      tls: tlsSettings
        .meta({ description: "a certificate of our own, to listen for other machines" })
        .optional(),
      tick: tickSettings.meta({ description: "monthly ticks" }).prefault({}),
      agents: z
        .array(agent, { error: "a list of agents" })
        .meta({ description: "the agents to watch" })
        .default([]),
      hosts: hostNames.meta({ description: "the old name of names", deprecated: true }).optional(),
    },
    { error: object },
  )
  .superRefine((config, context) => {
    const { agents, channels, heartbeat: scheduled, policy: told, forge, tick, daemon: own } = config;
    const both = (path: string[], old: string, name: string) =>
      context.addIssue({ code: "custom", path, message: `either ${name} or ${old}, its old name, not both` });
    if (config.hosts !== undefined && config.names.length > 0) both(["hosts"], "hosts", "names");
    const { to: beatTo, telegram: oldChat } = own.heartbeat;
    if (beatTo !== undefined && oldChat !== undefined)
      both(["daemon", "heartbeat", "telegram"], "telegram", "to");
    const { tell = [], escalate } = told;
    const checkOne = (name: string, path: (string | number)[]) => {
      if (name === "console" || channels[name] !== undefined) return;
      const known = Object.keys(channels).join(", ");
      const message = known === "" ? "a channel that is declared under channels" : `one of ${known}`;
      context.addIssue({ code: "custom", path, message });
    };
    const check = (names: readonly string[], path: (string | number)[]) => {
      for (const [index, name] of names.entries()) checkOne(name, [...path, index]);
    };
    for (const [index, { to = [] }] of tell.entries()) check(to, ["policy", "tell", index, "to"]);
    check(escalate?.to ?? [], ["policy", "escalate", "to"]);
    check(forge?.escalateTo ?? [], ["forge", "escalateTo"]);
    if (beatTo !== undefined) checkOne(beatTo, ["daemon", "heartbeat", "to"]);
    const names = new Set<string>();
    for (const [index, { name, channels: to = [] }] of scheduled.actions.entries()) {
      const path = ["heartbeat", "actions", index];
      check(to, [...path, "channels"]);
      if (names.has(name))
        context.addIssue({ code: "custom", path: [...path, "name"], message: "a name that is used once" });
      names.add(name);
      if ((name === "tick-submit" || name === "tick-check") && tick.ticks === undefined) {
        const message = `another action: ${name} needs tick.registry and tick.ticks`;
        context.addIssue({ code: "custom", path: [...path, "name"], message });
      }
    }
    const seen = new Set<string>();
    for (const [index, { id, heartbeat: own }] of agents.entries()) {
      if (own !== undefined) checkOne(own.to, ["agents", index, "heartbeat", "to"]);
      if (id === undefined) continue;
      if (seen.has(id)) {
        context.addIssue({
          code: "custom",
          path: ["agents", index, "id"],
          message: "an id that is used once",
        });
      }
      seen.add(id);
    }
  })
  .overwrite(({ hosts, ...config }) => (hosts === undefined ? config : { ...config, names: hosts }));

export type ConfigFile = z.output<typeof configSchema>;

/** The JSON Schema of the config file, for editors. */
export function configJsonSchema(): object {
  return { title: "Rollcall configuration", ...z.toJSONSchema(configSchema, { io: "input" }) };
}
