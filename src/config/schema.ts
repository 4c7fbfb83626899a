import * as z from "zod";
import { channelsSettings } from "../channels/settings.ts";
import type { Ladder } from "../core/recovery/ladder.ts";
import { TRANSCRIPT_FOLDERS } from "../signals/transcript/presets.ts";
import { postgresSettings } from "../store/postgres/settings.ts";
import { taskSourceSettings } from "../tasks/settings.ts";
import { readListen } from "./listen.ts";
import { actions } from "./sections/actions.ts";
import { agent, daemon, defaults, newcomers } from "./sections/agents.ts";
import { hubSettings, tlsSettings } from "./sections/hub.ts";
import { issueSettings } from "./sections/issues.ts";
import { type AddProblem, duration, mapping, problemsOf, text, yesNo } from "./sections/kit.ts";
import { policy } from "./sections/policy.ts";
import { tickSettings } from "./sections/ticks.ts";

const DEFAULT_LISTEN = "127.0.0.1:7766";
const LISTEN = `an address such as ${DEFAULT_LISTEN}`;
const FOLDER = "a folder such as ~/logs or /var/log/agents";
const HOST_NAME = "a host name such as roll.example.org, without a port";
const BADGE = "an agent, or a pattern with *";
const PAGE = "an address such as https://roll.example.org";
const PACK = "the path of a rule pack such as packs/mine.yaml";

const retention = mapping({
  beats: duration.describe("how long beats are kept").prefault("30d"),
  flips: duration.describe("how long flips, incidents and messages are kept").prefault("90d"),
});

const hostNames = z.array(text(HOST_NAME).regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, HOST_NAME), {
  error: "a list of names",
});

const access = mapping({
  unprovenBeats: yesNo
    .describe("whether programs on this machine may send beats without a token")
    .default(true),
  badges: z
    .array(text(BADGE).regex(/^[\w@*-]+$/, BADGE), { error: `a list, each ${BADGE}` })
    .describe("the agents whose state anybody may see as a picture, at /badge/<agent>.svg")
    .default([]),
  folders: z
    .array(text(FOLDER).regex(/^(?:\/|~\/|~$)/, FOLDER), { error: `a list, each ${FOLDER}` })
    .describe("the folders for files of agents that are added over the API, besides the home's logs")
    .default([...TRANSCRIPT_FOLDERS]),
});

/** The whole config file. Nothing in it is required. */
export const configSchema = mapping({
  listen: text(LISTEN)
    .refine((listen) => readListen(listen) !== undefined, LISTEN)
    .describe("the address for beats and readers; port 0 takes a free port")
    .default(DEFAULT_LISTEN),
  names: hostNames
    .describe("host names besides localhost that requests may use, such as the name of a proxy")
    .default([]),
  page: z
    .url({ protocol: /^https?$/, error: PAGE })
    .describe("where people open the page, for the links in messages; by default the address of listen")
    .overwrite((url) => url.replace(/\/+$/, ""))
    .optional(),
  access: access.describe("what others may do").prefault({}),
  livenessInterval: duration
    .describe("how often Rollcall looks at panes, logs and processes of agents")
    .prefault("10s"),
  packs: z
    .array(text(PACK).min(1, PACK), { error: `a list, each ${PACK}` })
    .describe("rules of your own for reading screens")
    .default([]),
  autoRegister: z
    .union([yesNo, newcomers], { error: "true, false, or {max: 1000, perMinute: 60}" })
    .describe(
      "whether a first beat registers its agent; how many may do so without a token, in all and a minute",
    )
    .default(true),
  defaults: defaults.describe("for agents that do not say otherwise").prefault({}),
  retention: retention.describe("how long history is kept").prefault({}),
  channels: channelsSettings.describe("where messages go").default({}),
  policy: policy.describe("which incidents are reported, when, and to whom").prefault({}),
  heartbeat: actions.describe("scheduled actions of the daemon").prefault({}),
  tasks: taskSourceSettings.describe("where tasks come from").prefault({}),
  daemon: daemon.describe("the daemon itself").prefault({}),
  forge: issueSettings.describe("where issues are filed").optional(),
  hub: hubSettings.describe("the hub that this host reports to; on a hub, its own address").prefault({}),
  tls: tlsSettings.describe("a certificate of our own, to listen for other machines").optional(),
  store: postgresSettings
    .describe("a PostgreSQL database for the fleet's state and history, instead of the file in the home")
    .optional(),
  tick: tickSettings.describe("monthly ticks").prefault({}),
  agents: z.array(agent, { error: "a list of agents" }).describe("the agents to watch").default([]),
  hosts: hostNames.meta({ description: "the old name of names", deprecated: true }).optional(),
})
  .superRefine((config, context) => {
    const add = problemsOf(context);
    checkOldNames(config, add);
    checkChannels(config, add);
    checkActions(config, add);
    const ids = new Set<string>();
    for (const [index, { id }] of config.agents.entries()) {
      if (id !== undefined && ids.has(id)) add(["agents", index, "id"], "an id that is used once");
      else if (id !== undefined) ids.add(id);
    }
    checkNeeds(config, add);
  })
  .overwrite(({ hosts, ...config }) => (hosts === undefined ? config : { ...config, names: hosts }));

export type ConfigFile = z.output<typeof configSchema>;

/** A key and its old name do not stand beside each other. */
function checkOldNames({ hosts, names, daemon: { heartbeat } }: ConfigFile, add: AddProblem): void {
  const both = (old: string, name: string) => `either ${name} or ${old}, its old name, not both`;
  if (hosts !== undefined && names.length > 0) add("hosts", both("hosts", "names"));
  if (heartbeat.to !== undefined && heartbeat.telegram !== undefined)
    add(["daemon", "heartbeat", "telegram"], both("telegram", "to"));
}

/** Wherever the config names a channel, there must be one. */
function checkChannels(config: ConfigFile, add: AddProblem): void {
  const known = Object.keys(config.channels);
  const right =
    known.length === 0 ? "a channel that is declared under channels" : `one of ${known.join(", ")}`;
  const check = (name: string | undefined, path: readonly (string | number)[]) => {
    if (name !== undefined && name !== "console" && !known.includes(name)) add(path, right);
  };
  const checkAll = (names: readonly string[] | undefined, path: readonly (string | number)[]) => {
    for (const [index, name] of (names ?? []).entries()) check(name, [...path, index]);
  };
  const checkSteps = (steps: Ladder | undefined, path: readonly (string | number)[]) => {
    for (const [index, step] of (steps ?? []).entries())
      if (step.do === "escalate") checkAll(step.to, [...path, index, "to"]);
  };
  const { policy, forge, hub, daemon, heartbeat, agents, defaults } = config;
  checkSteps(defaults.recover, ["defaults", "recover"]);
  for (const [index, { recover }] of agents.entries()) checkSteps(recover, ["agents", index, "recover"]);
  for (const [index, { to }] of (policy.tell ?? []).entries()) checkAll(to, ["policy", "tell", index, "to"]);
  checkAll(policy.escalate?.to, ["policy", "escalate", "to"]);
  checkAll(forge?.escalateTo, ["forge", "escalateTo"]);
  checkAll(hub.cutOff?.tell, ["hub", "cutOff", "tell"]);
  check(daemon.heartbeat.to, ["daemon", "heartbeat", "to"]);
  for (const [index, { channels }] of heartbeat.actions.entries())
    checkAll(channels, ["heartbeat", "actions", index, "channels"]);
  for (const [index, { heartbeat }] of agents.entries())
    check(heartbeat?.to, ["agents", index, "heartbeat", "to"]);
}

/** Agents that need each other in a circle would keep each other silent. */
function checkNeeds({ agents }: ConfigFile, add: AddProblem): void {
  const needs = new Map(agents.map(({ id = "", after = [] }) => [id, after]));
  /** The agents on a way from one to another; undefined if there is none. */
  const wayFrom = (from: string, to: string, seen = new Set<string>()): readonly string[] | undefined => {
    for (const next of needs.get(from) ?? []) {
      if (next === to) return [from];
      if (seen.has(next)) continue;
      seen.add(next);
      const rest = wayFrom(next, to, seen);
      if (rest !== undefined) return [from, ...rest];
    }
    return undefined;
  };
  for (const [index, { id = "", after }] of agents.entries()) {
    const circle = after === undefined ? undefined : wayFrom(id, id);
    if (circle !== undefined) add(["agents", index, "after"], sayCircle(circle), "whole");
  }
}

function sayCircle(circle: readonly string[]): string {
  if (circle.length === 1) return `${circle[0]} depends on itself`;
  return `${circle.slice(0, -1).join(", ")} and ${circle.at(-1)} depend on each other`;
}

function checkActions({ heartbeat, tick }: ConfigFile, add: AddProblem): void {
  const names = heartbeat.actions.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    const path = ["heartbeat", "actions", index, "name"];
    if (names.indexOf(name) < index) add(path, "a name that is used once");
    if ((name === "tick-submit" || name === "tick-check") && tick.ticks === undefined)
      add(path, `another action: ${name} needs tick.registry and tick.ticks`);
  }
}

/** The JSON Schema of the config file, for editors. */
export function configJsonSchema(): object {
  return { title: "Rollcall configuration", ...z.toJSONSchema(configSchema, { io: "input" }) };
}
