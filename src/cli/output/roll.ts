import { hostAgent, hubName } from "../../core/host-names.ts";
import { countStates, exitCodeOf, STATE_TRAITS, type State, sumOf } from "../../core/liveness/state.ts";
import { operationsOf, type Where } from "../../service/connect.ts";
import type { AgentWithPing, RollFilter, WholeRoll } from "../../service/operations.ts";
import { Failure, NOT_THERE, NoSuchAgentError } from "./failure.ts";
import { plain } from "./terminal.ts";

/** The options that every command takes; `json` where it prints something. */
export interface CommonOptions extends Where {
  readonly json?: true;
}

/** `status --json`: documented in docs/api.md, and kept. `counts` is of the agents that were asked for. */
export interface CalledRoll extends Omit<WholeRoll, "agents"> {
  readonly agents: readonly AgentWithPing[];
}

/** The whole roll, or one agent in detail: then nobody is on it if there is no such agent. */
export async function callTheRoll(
  common: CommonOptions,
  only?: string,
  filter: RollFilter = {},
): Promise<CalledRoll> {
  const operations = operationsOf(common);
  if (only === undefined) {
    const { counts: _, agents, ...head } = await operations.roll(filter);
    const list = await taken(agents);
    return { ...head, counts: countStates(list), agents: list };
  }
  const { agent, ...head } = await operations.agent(only);
  const list = agent === undefined ? [] : [agent];
  return { ...head, counts: countStates(list), agents: list };
}

/** So many agents are shown to a person at most. */
const MOST_SHOWN = 1000;
/** Trouble first. */
const UNWELL = (Object.keys(STATE_TRAITS) as State[]).filter((state) => exitCodeOf(state) !== 0);

/**
 * The roll for a person to look at. Of a large fleet it is only the worst, or those with this text; `counts` is of the whole
 * fleet.
 */
export async function lookAtTheRoll(common: CommonOptions, text = ""): Promise<CalledRoll> {
  const operations = operationsOf(common);
  const { agents, ...whole } = await operations.roll();
  if (sumOf(whole.counts) <= MOST_SHOWN) {
    const list = await taken(agents);
    return { ...whole, counts: countStates(list), agents: list };
  }
  const isThere = (state: State) => (whole.counts[state] ?? 0) > 0;
  const worst = UNWELL.filter(isThere).map((state) => ({ states: [state] }));
  const filters: readonly RollFilter[] = text === "" ? worst : [{ text }];
  const list: AgentWithPing[] = [];
  for (const filter of filters) {
    if (list.length >= MOST_SHOWN) break;
    const found = await operations.roll({ ...filter, after: "" });
    list.push(...(await taken(found.agents, MOST_SHOWN - list.length)));
  }
  return { ...whole, agents: list };
}

async function taken(agents: AsyncIterable<AgentWithPing>, most = Infinity): Promise<AgentWithPing[]> {
  const list: AgentWithPing[] = [];
  for await (const agent of agents) {
    list.push(agent);
    if (list.length >= most) break;
  }
  return list;
}

/** The agent; refuses one that nobody has heard of. */
export async function mustBeOnRoll(common: CommonOptions, agent: string): Promise<AgentWithPing> {
  const [found] = (await callTheRoll(common, agent)).agents;
  if (found === undefined) throw new NoSuchAgentError(agent);
  return found;
}

/** Refuses a host that does not report to this hub. */
export async function mustBeHost(common: CommonOptions, host: string): Promise<void> {
  const hosts = await operationsOf(common)
    .hosts()
    .catch((error: unknown) => {
      // No host reports to a watcher that is no hub.
      if ((error as { code?: unknown }).code === "not-a-hub") return [];
      throw error;
    });
  if (hosts.some(({ name }) => name === host)) return;
  // A beat names its host, too.
  if ((await callTheRoll(common, undefined, { host })).agents.length > 0) return;
  throw new Failure(`there is no host "${host}"; \`rollcall hosts list\` shows them`, NOT_THERE);
}

/** Says on stderr what is wrong with the watcher or the config, beside what is known of an agent. */
export function tellTroubles(roll: CalledRoll): void {
  const { problem } = roll.watcher;
  if (typeof problem === "string")
    process.stderr.write(`rollcall: ${plain(problem)}; judged from its files; see: rollcall doctor\n`);
  tellConfigError(roll);
}

/** Says on stderr what is wrong with the config, beside the roll. */
export function tellConfigError({ configError, watcher }: CalledRoll): void {
  if (configError === undefined) return;
  if (watcher.running) {
    const [first = "", ...more] = configError.split("\n");
    const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
    const says = "the config file has a mistake, so the watcher still uses the old config";
    process.stderr.write(`rollcall: ${says}: ${plain(first)}${rest}; see: rollcall config check\n`);
    return;
  }
  for (const line of configError.split("\n")) process.stderr.write(`rollcall: ${plain(line)}\n`);
  process.stderr.write("rollcall: the config cannot be used; the roll shows what is stored\n");
}

/** How a command is run on the host of an agent; undefined if that is this one. */
export function sayThere(command: string, { id, host, origin }: AgentWithPing): string | undefined {
  if (origin !== "host" || host === null || id === hostAgent(host)) return undefined;
  return `Run this on ${host}: rollcall ${command} ${id.slice(0, -hubName("", host).length)}`;
}
