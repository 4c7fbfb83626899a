import * as z from "zod";
import { AGENT_ID } from "../../core/agent.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";
import { MINUTE, parseDuration } from "../../core/duration.ts";
import { extraEnvironment } from "../../ports/extra-environment.ts";
import { mapping, readAs, text, yesNo } from "./kit.ts";

const filled = (what: string) => text(what).min(1, what);
const TIMEOUT = "a duration such as 10s, at most 10m";
const ONE = "one of command, url, file and pidFile";
const NAME = "a name of letters, digits, '_', '.', ':' and '-'";
const LINK = "an address such as https://git.example/org/ticks/{month}/{agent}.json";

/** What must hold: a command that exits with 0, an address that answers, a file that is there, a process that lives. */
const probe = mapping({
  command: filled("a command for sh").describe("must exit with 0").optional(),
  url: filled("an address such as http://127.0.0.1:8080/health")
    .regex(/^https?:\/\//, "an address such as http://127.0.0.1:8080/health")
    .describe("must answer with a status from 200 to 299; {agent} is its id")
    .optional(),
  file: filled("a path").describe("must exist; {agent} is its id").optional(),
  pidFile: filled("a path").describe("must name a process that lives; {agent} is its id").optional(),
  timeout: readAs(TIMEOUT, "10s", (written) => {
    const length = parseDuration(written);
    return length !== undefined && length <= 10 * MINUTE ? length : undefined;
  })
    .describe("how long it may take")
    .prefault("10s"),
}).superRefine(({ timeout: _, ...ways }, context) => {
  if (Object.values(ways).filter((way) => way !== undefined).length === 1) return;
  context.addIssue({ code: "custom", message: ONE });
});

export type ProbeSettings = z.output<typeof probe>;

export const tickSettings = mapping({
  registry: filled("a path")
    .describe(
      "the registry of agents, which join the roll; with ticks set, the daemon submits and checks ticks itself",
    )
    .optional(),
  ticks: filled("a path").describe("the folder of ticks, for ticks by the daemon itself").optional(),
  agents: z
    .array(filled(AGENT_ID_FORM).regex(AGENT_ID, AGENT_ID_FORM), { error: "a list of agent ids" })
    .describe("the agents whose ticks this host submits if none is named")
    .optional(),
  gateway: probe
    .describe(
      "a check that must pass besides the roll's verdict; it decides alone for agents that are not on the roll",
    )
    .optional(),
  capabilities: z
    .record(z.string().regex(/^[\w.:-]{1,64}$/, NAME), probe, { error: "a mapping of keys to values" })
    .describe("what the agents of this host can do, by name")
    .default({}),
  push: yesNo.describe("whether a tick is committed and pushed with git").default(false),
  ...extraEnvironment,
  link: filled(LINK)
    .regex(/^https?:\/\//, LINK)
    .describe("where people read a tick, with {month} and {agent}")
    .optional(),
}).superRefine(({ registry, ticks }, context) => {
  if (registry !== undefined || ticks === undefined) return;
  context.addIssue({ code: "custom", path: ["registry"], message: "the registry beside ticks" });
});

export type TickSettings = z.output<typeof tickSettings>;
