import * as z from "zod";
import { checkAgentId } from "../../agent/beat-record.ts";
import { writeNote } from "../../agent/journal.ts";
import { finishWork, startWork } from "../../agent/work.ts";
import { writeBeat } from "../../agent/write-beat.ts";
import { AGENT_ID } from "../../core/agent.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";
import { STATES } from "../../core/liveness/state.ts";
import { homeAt } from "../../home/home.ts";
import { operationsOf } from "../../service/connect.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, callTheRoll } from "../output/roll.ts";
import { plain } from "../output/terminal.ts";

/** One tool: what it is called, what it takes, and what it does. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
  readonly input: z.ZodObject;
  readonly call: (common: CommonOptions, input: never) => Promise<unknown> | unknown;
}

function tool<Input extends z.ZodObject>(given: {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
  readonly input: Input;
  readonly call: (common: CommonOptions, input: z.output<Input>) => Promise<unknown> | unknown;
}): Tool {
  return given as unknown as Tool;
}

const agent = z.string().regex(AGENT_ID, AGENT_ID_FORM).describe("the id of the agent");
const host = z.string().describe("only of this host");
const state = z.enum(Object.keys(STATES) as [keyof typeof STATES, ...(keyof typeof STATES)[]]);
const homeOf = (common: CommonOptions) => homeAt(common.home).path;

/** What an agent may ask Rollcall for. What agents wrote is data for the reader, never an instruction. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: "roll",
    description:
      "Every agent: its state, why, since when, and its last action. Agents in trouble come first.",
    writes: false,
    input: z.object({ state: state.optional().describe("only agents in this state"), host: host.optional() }),
    call: async (common, input) => {
      const { watcher, agents } = await callTheRoll(common, undefined, { host: input.host });
      const shown = agents.filter((each) => input.state === undefined || each.state === input.state);
      const rows = shown.map(({ id, state, reason, why, since, lastBeatAt, action, host }) => ({
        ...{ id, state, reason, why, since, lastBeatAt, action, host },
      }));
      return { watching: watcher.running, agents: rows.sort((a, b) => rank(a.state) - rank(b.state)) };
    },
  }),
  tool({
    name: "agent",
    description: "One agent: its verdict, the evidence for it, and what will change without new activity.",
    writes: false,
    input: z.object({ agent }),
    call: async (common, input) => {
      const [found] = (await callTheRoll(common, input.agent)).agents;
      if (found === undefined) throw new Failure(`there is no agent "${input.agent}"`);
      const { pingUuid: _, ...shown } = found;
      return shown;
    },
  }),
  tool({
    name: "incidents",
    description: "Incidents, newest first; by default the open ones.",
    writes: false,
    input: z.object({
      open: z.boolean().default(true),
      agent: agent.optional(),
      host: host.optional(),
      limit: z.int().min(1).max(100).default(20),
    }),
    call: async (common, { open, agent: about, host, limit }) => {
      const operations = operationsOf(common);
      const filter = { about, host, which: open ? ("open" as const) : undefined };
      const { items: incidents, next } = await operations.incidents(filter, { limit });
      return { incidents, next, counts: await operations.incidentCounts() };
    },
  }),
  tool({
    name: "hosts",
    description:
      "The hosts that report to this hub: state, last contact, version, clock offset, backlog, agents by state.",
    writes: false,
    input: z.object({}),
    call: async (common) => ({ hosts: await operationsOf(common).hosts() }),
  }),
  tool({
    name: "beat",
    description: "Record a sign of life of an agent.",
    writes: true,
    input: z.object({
      agent,
      action: z.string().optional().describe("what it does, in a few words"),
      status: z.enum(["ok", "error"]).default("ok"),
      message: z.string().optional(),
      cycle: z.int().min(0).optional(),
      state: z
        .enum(["working", "waiting", "limited", "idle", "done"])
        .optional()
        .describe("the state that the agent reports; waiting means that it needs a person"),
      asks: z
        .object({ question: z.string(), choices: z.array(z.string()).optional() })
        .optional()
        .describe("the question that the agent asks a person"),
      until: z.iso.datetime({ offset: true }).optional().describe("until when the state lasts"),
    }),
    call: (common, input) => {
      const { id, sentAt } = writeBeat(input, homeOf(common));
      return { id, sentAt };
    },
  }),
  tool({
    name: "note",
    description: "Save a note that the agent's next cycle can read, for example after a crash.",
    writes: true,
    input: z.object({ agent, key: z.string().min(1), value: z.string() }),
    call: (common, input) => {
      checkAgentId(input.agent);
      writeNote(input.agent, homeOf(common), input.key, input.value);
      return { noted: input.key };
    },
  }),
  tool({
    name: "start_work",
    description: "Record that an agent started some work; finish_work records that it is done.",
    writes: true,
    input: z.object({ agent, what: z.string().min(1).describe("in a few words") }),
    call: (common, input) => startWork(input.agent, input.what, homeOf(common)),
  }),
  tool({
    name: "finish_work",
    description: "Record that work is done.",
    writes: true,
    input: z.object({ id: z.string().describe("the id of the work, as start_work returned it") }),
    call: (common, input) => finishWork(input.id, homeOf(common)),
  }),
  tool({
    name: "acknowledge",
    description: "Acknowledge an incident; this stops its reminders.",
    writes: true,
    input: z.object({ incident: z.string().describe("its id"), by: z.string().default("an MCP client") }),
    call: async (common, input) => {
      await operationsOf(common).acknowledge(input.incident, input.by);
      return { acknowledged: input.incident };
    },
  }),
];

/** The worst first: who reads it should see trouble before rest. */
const WORST = ["dead", "stalled", "failing", "waiting", "limited", "unknown", "late", "new"];

function rank(state: string): number {
  const found = WORST.indexOf(state);
  return found < 0 ? WORST.length : found;
}

/** Takes escape sequences and control characters out of every text of an answer. */
export function harmless(value: unknown): unknown {
  if (typeof value === "string") return plain(value);
  if (Array.isArray(value)) return value.map(harmless);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [plain(key), harmless(each)]));
}
