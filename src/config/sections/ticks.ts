import * as z from "zod";
import { AGENT_ID } from "../../core/agent.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";
import { parseDuration } from "../../core/duration.ts";
import { extraEnvironment } from "../../ports/extra-environment.ts";

/** Every message says what would be right: it is shown after "expected". */
const text = (what: string) => z.string({ error: what }).min(1, what);
const object = "a mapping of keys to values";
const TIMEOUT = "a duration such as 10s, at most 10m";
const ONE = "one of command, url, file and pidFile";
const NAME = "a name of letters, digits, '_', '.', ':' and '-'";
const LINK = "an address such as https://git.example/org/ticks/{month}/{agent}.json";

/** What must hold: a command that exits with 0, an address that answers, a file that is there, a process that lives. */
const probe = z
  .strictObject(
    {
      command: text("a command for sh").meta({ description: "must exit with 0" }).optional(),
      url: text("an address such as http://127.0.0.1:8080/health")
        .regex(/^https?:\/\//, "an address such as http://127.0.0.1:8080/health")
        .meta({ description: "must answer with a status from 200 to 299; {agent} is its id" })
        .optional(),
      file: text("a path").meta({ description: "must exist; {agent} is its id" }).optional(),
      pidFile: text("a path")
        .meta({ description: "must name a process that lives; {agent} is its id" })
        .optional(),
      timeout: z
        .string({ error: TIMEOUT })
        .meta({ description: "how long it may take" })
        .transform((value, context) => {
          const length = parseDuration(value);
          if (length !== undefined && length <= 600_000) return length;
          context.addIssue({ code: "custom", message: TIMEOUT });
          return z.NEVER;
        })
        .prefault("10s"),
    },
    { error: object },
  )
  .superRefine(({ timeout: _, ...ways }, context) => {
    if (Object.values(ways).filter((way) => way !== undefined).length === 1) return;
    context.addIssue({ code: "custom", message: ONE });
  });

export type ProbeSettings = z.output<typeof probe>;

/** Monthly ticks. */
export const tickSettings = z
  .strictObject(
    {
      registry: text("a path")
        .meta({
          description:
            "the registry of agents, who join the roll; with ticks, the daemon submits and checks ticks itself",
        })
        .optional(),
      ticks: text("a path")
        .meta({ description: "the folder of ticks, for ticks by the daemon itself" })
        .optional(),
      agents: z
        .array(text(AGENT_ID_FORM).regex(AGENT_ID, AGENT_ID_FORM), { error: "a list of agent ids" })
        .meta({ description: "whose ticks this host submits if none is named" })
        .optional(),
      gateway: probe
        .meta({
          description:
            "what must hold besides the roll's word that the agent runs; the only word of agents that are not on the roll",
        })
        .optional(),
      capabilities: z
        .record(z.string().regex(/^[\w.:-]{1,64}$/, NAME), probe, { error: object })
        .meta({ description: "what the agents of this host can do, by name" })
        .default({}),
      push: z
        .boolean({ error: "true or false" })
        .meta({ description: "whether a tick is committed and pushed with git" })
        .default(false),
      ...extraEnvironment,
      link: text(LINK)
        .regex(/^https?:\/\//, LINK)
        .meta({ description: "where people read a tick, with {month} and {agent}" })
        .optional(),
    },
    { error: object },
  )
  .superRefine(({ registry, ticks }, context) => {
    if (registry !== undefined || ticks === undefined) return;
    context.addIssue({ code: "custom", path: ["registry"], message: "the registry beside ticks" });
  });

export type TickSettings = z.output<typeof tickSettings>;
